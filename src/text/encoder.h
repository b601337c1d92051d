// What the rest of the program knows about a text encoder family.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "nn/weights.h"
#include "text/tokenizer.h"

namespace tintype {

struct Encoded {
  Tensor hidden;  // [B, L, D], after the final norm
  Tensor pooled;  // [B, P], or none
};

class TextEncoder {
 public:
  virtual ~TextEncoder() = default;
  virtual Dim width() const = 0;
  virtual Dim rows() const = 0;                      // of the token table
  virtual Dim max_length() const = 0;                // tokens; 0: any number
  virtual Encoded forward(Tensor tokens) const = 0;  // i32 [B, L]
};

struct TextFamily {
  std::string_view name;  // "clip_l", as combined checkpoints call it
  std::vector<NameLayout> layouts;
  std::string_view option;                 // that names such a file: "--clip"
  std::vector<std::string_view> prefixes;  // beside the empty one
  std::unique_ptr<TextEncoder> (*build)(const Weights& w);
  // The tokenizer that the file carries, or that lies beside it, or else the one compiled in if it
  // fits a table of `rows` rows; throws kBadFile if none does.
  std::unique_ptr<Tokenizer> (*tokenizer)(const WeightIndex& index, Dim rows);
};

extern const TextFamily kClipL, kT5Xxl;

std::span<const TextFamily* const> text_families();

}  // namespace tintype
