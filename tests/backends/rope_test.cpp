#include "support/op_test.h"

namespace tintype::test {
namespace {

class RopeTest : public OpTest {};

TEST_P(RopeTest, HasKnownValues) {
  OpCase c(act());
  const Tensor x = c.given(array({1, 1, 1, 4}, {1, 2, 3, 4}), act());
  c.output(rope(x, c.given(array({1, 2, 2}, {0, 1, 0.5f, 0.25f}))));
  expect_value(c, array({1, 1, 1, 4}, {-2, 1, 0.5f, 2.75f}), {});
}

TEST_P(RopeTest, MatchesReference) {
  for (const Shape& shape :
       {Shape{1, 1, 1, 2}, Shape{2, 5, 3, 6}, Shape{1, 33, 4, 128}, Shape{2, 9, 24, 64}}) {
    OpCase c(act());
    c.output(rope(c.act(shape), c.f32({shape[1], shape[3] / 2, 2})));
    expect_reference(c, rounding(act(), 3, 16));
  }
}

TEST_P(RopeTest, OfPartsOfAFusedProduct) {
  OpCase c(act());
  const Tensor qkv = c.act({1, 7, 3 * 4 * 16});
  const auto q = reshape(slice(qkv, 2, 64, 64), {1, 7, 4, 16});
  c.output(rope(q, c.f32({7, 8, 2})));
  expect_reference(c, rounding(act(), 3, 16));
}

INSTANTIATE_OP_TEST(RopeTest, Op::kRope);

}  // namespace
}  // namespace tintype::test
