#include <cmath>

#include "support/op_test.h"

namespace tintype::test {
namespace {

class SinusoidTest : public OpTest {};

TEST_P(SinusoidTest, HasKnownValues) {
  OpCase c(act());
  c.output(sinusoid(c.given(array({1}, {0.5f})), {.dim = 4, .factor = 2, .max_period = 100}));
  const auto f = [](double x) { return static_cast<float>(x); };
  expect_value(
      c, array({1, 4}, {f(std::cos(1.0)), f(std::cos(0.1)), f(std::sin(1.0)), f(std::sin(0.1))}),
      rounding(act(), 1, 1));
}

TEST_P(SinusoidTest, MatchesReference) {
  OpCase c(act());
  const Tensor t = c.given(array({3}, {0, 0.123f, 7}));
  c.output(sinusoid(t, {}));
  c.output(sinusoid(t, {.dim = 320, .factor = 1, .max_period = 10000}));
  expect_reference(c, rounding(act(), 1, 1));
}

INSTANTIATE_OP_TEST(SinusoidTest, Op::kSinusoid);

}  // namespace
}  // namespace tintype::test
