#include "support/op_test.h"

namespace tintype::test {
namespace {

class AffineTest : public OpTest {};

TEST_P(AffineTest, MatchesReference) {
  for (const Shape& shape : {Shape{1}, Shape{3, 7}, Shape{2, 5, 33}, Shape{9001}}) {
    OpCase c(act());
    const Tensor x = c.act(shape);
    c.output(1.5f * x);
    c.output(-0.25f + x);
    c.output(c.graph().node({.op = Op::kAffine,
                             .inputs = {x},
                             .attrs = AffineAttrs{-2.5f, 0.75f},
                             .outputs = {x.type()}}));
    expect_reference(c, rounding(act(), 2, 16));
  }
}

INSTANTIATE_OP_TEST(AffineTest, Op::kAffine);

}  // namespace
}  // namespace tintype::test
