#include "sampling/beta_quantile.h"

#include <cmath>

#include <gtest/gtest.h>

#include "support/sampling_golden.h"

namespace tintype {
namespace {

TEST(BetaQuantile, EqualsScipy) {
  for (const auto& shape : test::sampling_golden("schedules", "beta_quantile")) {
    const double a = shape["a"], b = shape["b"];
    for (size_t i = 0; i < shape["p"].size(); ++i) {
      const double p = shape["p"][i], expected = shape["x"][i];
      EXPECT_NEAR(beta_quantile(p, a, b), expected, 1e-13 * expected + 1e-300)
          << "p " << p << ", a " << a << ", b " << b;
    }
  }
}

TEST(BetaQuantile, KnowsTheClosedForms) {
  EXPECT_NEAR(beta_quantile(0.3, 1, 1), 0.3, 1e-15);                       // uniform
  EXPECT_NEAR(beta_quantile(0.3, 3, 1), std::cbrt(0.3), 1e-15);            // x^3
  EXPECT_NEAR(beta_quantile(0.25, 0.5, 0.5), 0.14644660940672624, 1e-15);  // arcsine
}

TEST(BetaQuantile, IsSymmetric) {
  for (const double p : {0.01, 0.2, 0.45})
    EXPECT_NEAR(beta_quantile(p, 0.6, 0.6), 1 - beta_quantile(1 - p, 0.6, 0.6), 1e-14);
}

}  // namespace
}  // namespace tintype
