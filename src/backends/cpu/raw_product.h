// Products by oneDNN alone: what `tintype bench` measures kernels against.
#pragma once

#include <compare>
#include <string>

#include "backends/cpu/onednn.h"
#include "base/os.h"

namespace tintype::cpu {

// `count` products [m, k] x [k, n] of one type, such as those of all heads.
struct RawSpec {
  Dim m = 0, n = 0, k = 0, count = 1;
  DType type = DType::kF32;       // kF32, kBF16, kI8 (whose sums are kI32)
  Factor stored = Factor::kRows;  // how the second factors lie in memory: kRows or kColumns

  auto operator<=>(const RawSpec&) const = default;
};

// Memory that products share, one at a time: factors full of small numbers, sums, scratch.
struct RawMemory {
  PageBlock first, second, out, scratch;
};

class RawProduct {
 public:
  // With `packed`, the second factors are multiplied as oneDNN would have them, packed here from
  // `memory.second`. Grows `memory` to what run() needs. Throws kMachine as MatMul does.
  RawProduct(const RawSpec& spec, bool packed, RawMemory& memory);

  const std::string& implementation() const { return product_.implementation(); }
  double operations() const;  // of one run: 2 * count * m * n * k

  // All `count` products, on all threads. `factors`: the second ones, one after the other; null,
  // and always if packed: those that the product was made with.
  void run(const RawMemory& memory, const void* factors = nullptr) const noexcept;

 private:
  RawSpec spec_;
  MatMul product_;
  size_t first_bytes_, second_bytes_;  // of one factor
  PageBlock packed_;
};

}  // namespace tintype::cpu
