#include "support/op_test.h"

namespace tintype::test {
namespace {

class UpsampleTest : public OpTest {};

TEST_P(UpsampleTest, HasKnownValues) {
  OpCase c(act());
  c.output(upsample(c.given(array({1, 1, 2, 2}, {1, 2, 3, 4}), act())));
  expect_value(c, array({1, 2, 4, 2}, {1, 2, 1, 2, 3, 4, 3, 4, 1, 2, 1, 2, 3, 4, 3, 4}), {});
}

TEST_P(UpsampleTest, MatchesReference) {
  for (const Shape& shape : {Shape{1, 1, 1, 1}, Shape{2, 3, 5, 7}, Shape{1, 9, 8, 64}}) {
    OpCase c(act());
    c.output(upsample(c.act(shape)));
    expect_reference(c, {});
  }
}

INSTANTIATE_OP_TEST(UpsampleTest, Op::kUpsample);

}  // namespace
}  // namespace tintype::test
