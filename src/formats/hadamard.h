// The regular Hadamard rotation of ConvRot weights: H = (H4 ⊗ H4 ⊗ …) / √group, where H4 is all
// ones but for −1 on its anti-diagonal. H is symmetric and its own inverse, so the same call
// rotates and un-rotates.
#pragma once

#include "tensor/shape.h"

namespace tintype {

constexpr bool is_rotation_group(Dim group) {
  return group == 4 || group == 16 || group == 64 || group == 256 || group == 1024;
}

// Rotates the `group` values x[0], x[stride], x[2·stride], … in place.
void rotate_group(float* x, Dim group, Dim stride = 1);

// Rotates each group of `group` consecutive values of a row; cols % group == 0.
void rotate_row(float* row, Dim cols, Dim group);

}  // namespace tintype
