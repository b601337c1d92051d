#include <cmath>

#include "support/op_test.h"

namespace tintype::test {
namespace {

class AddTest : public OpTest {};

struct Shapes {
  Shape a, b;
};

// Equal; stretched along rows, columns, both, in the middle; the first operand smaller; tiny, odd
// and longer than a piece of a row.
const Shapes kShapes[] = {
    {{1}, {1}},
    {{3, 7}, {3, 7}},
    {{2, 5, 33}, {33}},
    {{2, 5, 33}, {2, 1, 33}},
    {{2, 5, 33}, {2, 5, 1}},
    {{2, 5, 33}, {1}},
    {{2, 3, 4, 5}, {1, 3, 1, 5}},
    {{17}, {4, 17}},
    {{6, 1}, {6, 1}},
    {{3, 9001}, {9001}},
};

TEST_P(AddTest, MatchesReference) {
  for (const auto& [a, b] : kShapes) {
    OpCase c(act());
    c.output(c.act(a) + c.act(b));
    expect_reference(c, rounding(act(), 1, 8));
  }
}

TEST_P(AddTest, TakesF32BesideActivations) {
  for (const auto& [a, b] : kShapes) {
    OpCase c(act());
    c.output(c.act(a) + c.f32(b));
    expect_reference(c, rounding(act(), 1, 8));
  }
}

TEST_P(AddTest, RoundsToNearestEven) {
  OpCase c(act());
  // 1 + 2^-8 lies half way between two bf16 numbers; so does 1 + 3 * 2^-8.
  const Tensor a = c.given(array({3}, {1, 1, 1}), act());
  c.output(a + c.given(array({3}, {0x1p-8f, 3 * 0x1p-8f, 0x1p-7f}), act()));
  const bool bf16 = act() == DType::kBF16;
  expect_value(
      c, array({3}, {bf16 ? 1 : 1 + 0x1p-8f, bf16 ? 1 + 0x1p-6f : 1 + 3 * 0x1p-8f, 1 + 0x1p-7f}),
      {});
}

TEST_P(AddTest, KeepsNonFiniteValues) {
  OpCase c(act());
  const Tensor a = c.given(array({3}, {NAN, INFINITY, 1}), act());
  c.output(a + c.given(array({3}, {1, 1, -INFINITY}), act()));
  expect_value(c, array({3}, {NAN, INFINITY, -INFINITY}), {});
}

INSTANTIATE_OP_TEST(AddTest, Op::kAdd);

}  // namespace
}  // namespace tintype::test
