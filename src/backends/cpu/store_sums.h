// From the sums of a product to a node's output: scales, bias, one rounding.
#pragma once

#include "graph/kernel.h"

namespace tintype::cpu {

// out[r, c] = round(sums[r, c] * row_scales[r] * column_scales[c] + bias[c]); f32 sums have no
// scales. Strides count elements.
struct SumsToStore {
  Dim rows = 0, cols = 0;
  const void* sums = nullptr;  // f32 or s32
  Dim sums_stride = 0;
  const float* bias = nullptr;  // null: none
  const float* row_scales = nullptr;
  Dim row_scales_stride = 1;
  const float* column_scales = nullptr;  // one, or one per column
  bool scale_per_column = false;
  std::byte* out = nullptr;
  Dim out_stride = 0;
};

using StoreSums = void (*)(const SumsToStore&);

StoreSums store_f32_sums(DType out, Isa isa);
StoreSums store_int8_sums(DType out, Isa isa);

}  // namespace tintype::cpu
