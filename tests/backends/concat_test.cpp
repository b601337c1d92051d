#include "support/op_test.h"

namespace tintype::test {
namespace {

class ConcatTest : public OpTest {};

TEST_P(ConcatTest, AlongEveryAxis) {
  for (int axis = 0; axis < 3; ++axis) {
    OpCase c(act());
    Shape a{2, 5, 33}, b = a, d = a;
    b[axis] = 1, d[axis] = 4;
    c.output(concat({c.act(a), c.act(b), c.act(d)}, axis));
    expect_reference(c, {});
  }
}

TEST_P(ConcatTest, LongParts) {
  OpCase c(act());
  c.output(concat({c.act({2, 3, 5000}), c.act({2, 1, 5000})}, 1));
  expect_reference(c, {});
}

TEST_P(ConcatTest, OfViews) {
  OpCase c(act());
  const Tensor x = c.act({2, 5, 40});
  c.output(concat({slice(x, 2, 3, 7), slice(x, 2, 30, 10)}, 2));
  expect_reference(c, {});
}

TEST_P(ConcatTest, HasKnownValues) {
  OpCase c(act());
  const Tensor a = c.given(array({2, 1}, {1, 2}), act());
  c.output(concat({a, c.given(array({2, 2}, {3, 4, 5, 6}), act())}, 1));
  expect_value(c, array({2, 3}, {1, 3, 4, 2, 5, 6}), {});
}

INSTANTIATE_OP_TEST(ConcatTest, Op::kConcat);

}  // namespace
}  // namespace tintype::test
