#include "support/compare.h"

#include <algorithm>
#include <cmath>

namespace tintype::test {

Tolerance rounding(DType stored, double roundings, double magnitude) {
  return {.relative = stored == DType::kBF16 ? 0x1p-7 : 0x1p-23,
          .absolute = roundings * 0x1p-24 * magnitude};
}

Tolerance product_rounding(DType stored, Dim terms) {
  const double sums = 4 * std::sqrt(static_cast<double>(terms)) * 0x1p-24;
  // Two roundings to bf16 of up to 2^-8 each (weight and result), as if always the worst.
  const double l2 = stored == DType::kBF16 ? 0x1p-7 + sums : 0x1p-24 + sums;
  return {.relative = 0, .absolute = std::numeric_limits<double>::infinity(), .l2 = l2};
}

double relative_l2(const Array& got, const Array& want) {
  double error = 0, norm = 0;
  for (Dim i = 0; i < want.elements(); ++i) {
    const double w = want[i], e = got[i] - w;
    error += e * e;
    norm += w * w;
  }
  if (error == 0) return 0;
  return norm == 0 ? std::numeric_limits<double>::infinity() : std::sqrt(error / norm);
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
  const double l2 = relative_l2(got, want);
  if (!(l2 <= tolerance.l2))
    return testing::AssertionFailure()
           << "relative L2 of " << want.shape() << " is " << l2 << ", allowed " << tolerance.l2;
  return testing::AssertionSuccess();
}

}  // namespace tintype::test
