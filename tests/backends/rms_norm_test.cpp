#include "support/op_test.h"

namespace tintype::test {
namespace {

class RmsNormTest : public OpTest {};

TEST_P(RmsNormTest, MatchesReference) {
  for (const Shape& shape :
       {Shape{1, 1}, Shape{3, 7}, Shape{2, 5, 24, 128}, Shape{1, 9, 77}, Shape{4, 4096}}) {
    OpCase c(act());
    c.output(rms_norm(c.act(shape, 2), c.f32({shape.cols()}), 1e-6f));
    expect_reference(c, rounding(act(), 16, 20));
  }
}

TEST_P(RmsNormTest, OfPartsOfAFusedProduct) {
  OpCase c(act());
  const Tensor qkv = c.act({1, 7, 3 * 4 * 16});
  c.output(rms_norm(reshape(slice(qkv, 2, 64, 64), {1, 7, 4, 16}), c.f32({16}), 1e-6f));
  expect_reference(c, rounding(act(), 16, 20));
}

TEST_P(RmsNormTest, HasKnownValues) {
  OpCase c(act());
  const Tensor x = c.given(array({1, 2}, {3, -4}), act());
  c.output(rms_norm(x, c.given(array({2}, {1, 2})), 0));
  const float root = 3.53553391f;  // sqrt((9 + 16) / 2)
  expect_value(c, array({1, 2}, {3 / root, -8 / root}), rounding(act(), 4, 2));
}

INSTANTIATE_OP_TEST(RmsNormTest, Op::kRmsNorm);

}  // namespace
}  // namespace tintype::test
