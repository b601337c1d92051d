// Kernels that compute each element of the output from the same element of every input.
#pragma once

#include "backends/cpu/walk.h"
#include "graph/kernel.h"

namespace tintype::cpu {

// One row: n elements of each input, then of the output. Whether an input is one repeated element
// was known when the function was chosen.
using RowFunction = void (*)(std::byte* const* operands, Dim n);

class Pointwise : public Prepared {
 public:
  using Choose = RowFunction (*)(const NodeView&, const Walk&);

  Pointwise(const NodeView& node, Choose choose);
  Pointwise(const Walk& walk, RowFunction row);  // walks operands seen otherwise
  void run(const Buffers& buffers) const noexcept final;

 private:
  Walk walk_;
  RowFunction row_;
};

// What such a kernel needs.
inline constexpr Needs kPointwiseNeeds{.dtypes = {DType::kF32, DType::kBF16},
                                       .in = Access::kRows,
                                       .out = Access::kRows,
                                       .in_place = true,
                                       .isa = Isa::kAvx2};

}  // namespace tintype::cpu
