#include <cmath>

#include "support/op_test.h"

namespace tintype::test {
namespace {

// Values of every size, 0 and both signs.
Array spread(DType) {
  Array x({4001});
  for (Dim i = 0; i < 4001; ++i) x[i] = static_cast<float>(i - 2000) * 0.01f;
  x[0] = -100, x[1] = 100, x[2] = -1e30f, x[3] = 1e30f, x[4] = 1e-30f, x[5] = -0.0f;
  return x;
}

class ActivationTest : public OpTest {
 protected:
  // sigmoid and erf are off by up to 2^-21 of themselves, results by that times |x| <= 20; beyond
  // that they are x or smaller than 1e-6.
  void check(Tensor (*f)(Tensor)) {
    for (const Shape& shape : {Shape{1}, Shape{3, 77}, Shape{2, 3, 4097}}) {
      OpCase c(act());
      c.output(f(c.act(shape, 3)));
      expect_reference(c, rounding(act(), 8, 15));
    }
    OpCase c(act());
    c.output(f(c.given(spread(act()), act())));
    expect_reference(c, rounding(act(), 8, 20));
  }

  void check_values(Tensor (*f)(Tensor), float at_1, float at_minus_2) {
    OpCase c(act());
    c.output(f(c.given(array({4}, {1, -2, 0, NAN}), act())));
    expect_value(c, array({4}, {at_1, at_minus_2, 0, NAN}), rounding(act(), 4, 2));
  }
};

// The values are those of PyTorch in double.
class SiluTest : public ActivationTest {};
TEST_P(SiluTest, MatchesReference) { check(silu); }
TEST_P(SiluTest, HasKnownValues) { check_values(silu, 0.7310585786f, -0.2384058440f); }

class GeluTanhTest : public ActivationTest {};
TEST_P(GeluTanhTest, MatchesReference) { check(gelu_tanh); }
TEST_P(GeluTanhTest, HasKnownValues) { check_values(gelu_tanh, 0.8411919906f, -0.0454023059f); }

class GeluErfTest : public ActivationTest {};
TEST_P(GeluErfTest, MatchesReference) { check(gelu_erf); }
TEST_P(GeluErfTest, HasKnownValues) { check_values(gelu_erf, 0.8413447461f, -0.0455002639f); }

class QuickGeluTest : public ActivationTest {};
TEST_P(QuickGeluTest, MatchesReference) { check(quick_gelu); }
TEST_P(QuickGeluTest, HasKnownValues) { check_values(quick_gelu, 0.8457957659f, -0.0643413769f); }

INSTANTIATE_OP_TEST(SiluTest, Op::kSilu);
INSTANTIATE_OP_TEST(GeluTanhTest, Op::kGeluTanh);
INSTANTIATE_OP_TEST(GeluErfTest, Op::kGeluErf);
INSTANTIATE_OP_TEST(QuickGeluTest, Op::kQuickGelu);

}  // namespace
}  // namespace tintype::test
