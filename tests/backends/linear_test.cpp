#include "formats/formats.h"
#include "support/op_test.h"

namespace tintype::test {
namespace {

class LinearTest : public OpTest {
 protected:
  void check(const Shape& shape, Dim n, const Format& format, bool with_bias) {
    SCOPED_TRACE(testing::Message() << shape << " x " << n << ' ' << format.name());
    OpCase c(act());
    const Tensor x = c.act(shape);
    const auto w = c.weight({n, shape.cols()}, format);
    c.output(linear(x, w, with_bias ? c.f32({n}) : Tensor(), "layer"));
    expect_reference(c, product_rounding(act(), shape.cols()));
  }
};

// Rows from one to many, odd sizes, more columns than a panel.
TEST_P(LinearTest, ShapesInF32) {
  for (bool bias : {false, true}) {
    check({1, 1}, 1, kF32, bias);
    check({3, 7}, 5, kF32, bias);
    check({1, 320}, 700, kF32, bias);
    check({8, 64}, 48, kF32, bias);
    check({9, 33}, 17, kF32, bias);
    check({2, 37, 256}, 530, kF32, bias);
  }
}

TEST_P(LinearTest, EveryFormat) {
  for (const Format* format : formats())
    for (Dim rows : {1, 5, 40}) check({rows, 512}, 300, *format, true);
}

TEST_P(LinearTest, RotatedWeights) {
  for (Dim rows : {1, 40}) {
    OpCase c(act());
    c.output(linear(c.act({rows, 512}), c.weight({70, 512}, kInt8, 256), {}, "layer"));
    expect_reference(c, product_rounding(act(), 512));
  }
}

TEST_P(LinearTest, PartsOfInputsAndWeights) {
  for (Dim rows : {3, 40}) {
    OpCase c(act());
    auto w = c.weight({100, 64}, kBF16);
    w[0].first = 30, w[0].rows = 50;
    c.output(linear(slice(c.act({1, rows, 200}), 2, 100, 64), w, c.f32({50}), "layer"));
    expect_reference(c, product_rounding(act(), 64));
  }
}

TEST_P(LinearTest, HasKnownValues) {
  OpCase c(act());
  const auto w = c.weight({2, 3}, kF32);
  const auto rows = decode(*w[0].parameter);
  c.output(linear(c.given(array({2, 3}, {1, 0, 0, 0, 2, 0}), act()), w,
                  c.given(array({2}, {10, 20})), "layer"));
  expect_value(c, array({2, 2}, {rows[0] + 10, rows[3] + 20, 2 * rows[1] + 10, 2 * rows[4] + 20}),
               {.relative = act() == DType::kBF16 ? 0x1p-6 : 0x1p-22});
}

INSTANTIATE_OP_TEST(LinearTest, Op::kLinear);

}  // namespace
}  // namespace tintype::test
