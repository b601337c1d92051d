// What attention does between and after its two products: rows of scores become probabilities, rows
// of sums become results.
#pragma once

#include <cstddef>

#include "graph/kernel.h"

namespace tintype::cpu {

// A few queries against a block of keys. The softmax is taken with a running maximum (Milakov and
// Gimelshein 2018): after every block, row r of `sums` is the sum of 2^(score - top[r]) * value
// over the keys so far, and total[r] the same without the values. Scores count in powers of two.
struct ScoreBlock {
  Dim queries = 0, keys = 0;  // that exist; the first query and key of the block
  Dim first_query = 0, first_key = 0;
  Dim width = 0;  // columns of `scores`, at least `keys`
  Dim dim = 0;    // columns of `sums`
  bool causal = false;
  float scale = 1;           // of the scores, positive
  View bias{};               // [queries, keys]; data is null if there is none
  DType type = DType::kF32;  // of the probabilities

  // f32 [queries, width]; the probabilities [queries, width], without gaps, take its place.
  std::byte* scores = nullptr;
  float* sums = nullptr;   // [queries, dim]
  float* top = nullptr;    // [queries]
  float* total = nullptr;  // [queries]
};

struct AttendRows {
  // Replaces scores by probabilities, and scales sums and totals to the new maximum. The caller
  // adds probabilities * values to the sums.
  void (*weigh)(const ScoreBlock& block);
  // out[q, :] = sums[q, :] / total[q].
  void (*finish)(const ScoreBlock& block, const View& out);
};

AttendRows attend_rows(Isa isa);

}  // namespace tintype::cpu
