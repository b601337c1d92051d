// Rows of a weight of 8-bit codes with one scale for all rows or one for each.
#pragma once

#include "tensor/parameter.h"

namespace tintype {

// parts[0] codes, parts[1] scales [] or [rows].
bool has_row_scales(const Parameter& p);
const float* scales(const Parameter& p);  // null: no scale

}  // namespace tintype
