// Float products, for kernels of other ops that are one.
#pragma once

#include <memory>

#include "graph/kernel.h"

namespace tintype::cpu {

// What a float product of x and a weight is computed in: the type of x, to which other weights are
// rounded. But halves are never rounded to bf16, and bf16 isn't multiplied on processors that only
// emulate it.
DType product_type(DType x, const RowSlice& weight, const DeviceFacts& facts);

// y = x W^T + b with x = in[0] and y = out[0] seen as matrices, b = in[1] if there is one.
std::unique_ptr<Prepared> prepare_linear(const NodeView& node, const DeviceFacts& facts);

}  // namespace tintype::cpu
