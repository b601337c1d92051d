// Rows of elements from one type to another.
#pragma once

#include "graph/kernel.h"

namespace tintype::cpu {

using ConvertRow = void (*)(const std::byte* from, std::byte* to, Dim n);

// Between f32 and bf16 (to nearest, ties to even), or from any type to itself.
ConvertRow convert_row(DType from, DType to, const DeviceFacts& facts);

}  // namespace tintype::cpu
