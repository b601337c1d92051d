// How close two results have to be.
#pragma once

#include <limits>

#include <gtest/gtest.h>

#include "tensor/array.h"

namespace tintype::test {

// Each element may be off by relative * |want| + absolute, and all of them together by `l2` of the
// norm of `want`. That norm counts as if elements were at least `typical` on average: the sum of a
// few terms may happen to be next to nothing.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
  double l2 = std::numeric_limits<double>::infinity();
  double typical = 0;
};

// What arithmetic in f32 with up to `roundings` roundings of numbers up to `magnitude` may be off
// by from the same in double, once both are stored as `stored`: one unit in the last place for the
// last rounding, half of one for each other.
Tolerance rounding(DType stored, double roundings, double magnitude);

// The same for sums of `terms` products of normal numbers, whose errors are as good as independent:
// four standard deviations of the norm. Products of bf16 activations may round their weights to
// bf16 too.
Tolerance product_rounding(DType stored, Dim terms);

double relative_l2(const Array& got, const Array& want);  // |got - want| / |want|
double max_abs(const Array& got, const Array& want);      // largest |got - want|

// f32 arrays of the same shape; NaN equals NaN, an infinity itself.
testing::AssertionResult is_close(const Array& got, const Array& want, const Tolerance& tolerance);

}  // namespace tintype::test
