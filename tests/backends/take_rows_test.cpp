#include "support/op_test.h"

namespace tintype::test {
namespace {

class TakeRowsTest : public OpTest {};

TEST_P(TakeRowsTest, HasKnownValues) {
  OpCase c(act());
  const Tensor x = c.given(array({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), act());
  Array index({2}, DType::kI32);
  index.values<int32_t>()[0] = 2;
  c.output(take_rows(x, c.given(index)));
  expect_value(c, array({2, 2}, {5, 6, 7, 8}), {});
}

TEST_P(TakeRowsTest, MatchesReference) {
  for (const Shape& shape : {Shape{1, 1, 1}, Shape{3, 77, 33}}) {
    OpCase c(act());
    c.output(take_rows(c.act(shape), c.indices({shape[0]}, static_cast<int32_t>(shape[1]))));
    expect_reference(c, {});
  }
}

INSTANTIATE_OP_TEST(TakeRowsTest, Op::kTakeRows);

}  // namespace
}  // namespace tintype::test
