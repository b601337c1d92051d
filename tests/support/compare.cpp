#include "support/compare.h"

#include <algorithm>
#include <cmath>

namespace tintype::test {
namespace {

double norm(const Array& x) {
  double squares = 0;
  for (float v : x.values()) squares += double{v} * v;
  return std::sqrt(squares);
}

}  // namespace

Tolerance rounding(DType stored, double roundings, double magnitude) {
  return {.relative = stored == DType::kBF16 ? 0x1p-7 : 0x1p-23,
          .absolute = roundings * 0x1p-24 * magnitude};
}

Tolerance product_rounding(DType stored, Dim terms) {
  const double sums = 4 * std::sqrt(static_cast<double>(terms)) * 0x1p-24;
  // Two roundings to bf16 of up to 2^-8 each (weight and result), as if always the worst.
  const double l2 = stored == DType::kBF16 ? 0x1p-7 + sums : 0x1p-24 + sums;
  return {.absolute = std::numeric_limits<double>::infinity(),
          .l2 = l2,
          .typical = std::sqrt(static_cast<double>(terms))};
}

double relative_l2(const Array& got, const Array& want) {
  const double error = norm(got - want);
  return error == 0 ? 0 : error / norm(want);
}

double max_abs(const Array& got, const Array& want) {
  double most = 0;
  for (Dim i = 0; i < want.elements(); ++i)
    most = std::max(most, std::fabs(double{got[i]} - want[i]));
  return most;
}

testing::AssertionResult is_close(const Array& got, const Array& want, const Tolerance& tolerance) {
  if (got.shape() != want.shape())
    return testing::AssertionFailure() << "shape " << got.shape() << ", want " << want.shape();
  for (Dim i = 0; i < want.elements(); ++i) {
    const double g = got[i], w = want[i];
    if (g == w || (std::isnan(g) && std::isnan(w))) continue;
    const double allowed = tolerance.relative * std::fabs(w) + tolerance.absolute;
    if (!(std::fabs(g - w) <= allowed))
      return testing::AssertionFailure()
             << "element " << i << " of " << want.shape() << " is " << g << ", want " << w
             << " within " << allowed << "; max abs " << max_abs(got, want);
  }
  if (std::isinf(tolerance.l2)) return testing::AssertionSuccess();
  const double least = tolerance.typical * std::sqrt(static_cast<double>(want.elements()));
  const double error = norm(got - want), allowed = tolerance.l2 * std::max(norm(want), least);
  if (!(error <= allowed))
    return testing::AssertionFailure() << "the norm of the error of " << want.shape() << " is "
                                       << error << ", allowed " << allowed;
  return testing::AssertionSuccess();
}

}  // namespace tintype::test
