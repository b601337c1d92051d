#include <algorithm>
#include <array>

#include "support/op_test.h"

namespace tintype::test {
namespace {

class ArgmaxTest : public OpTest {};

TEST_P(ArgmaxTest, TakesTheFirstOfEquals) {
  OpCase c(act());
  Array tokens({3, 4}, DType::kI32);
  std::ranges::copy(std::array{1, 9, 9, 2, /**/ 7, 7, 7, 7, /**/ -5, -4, -3, -2},
                    tokens.values<int32_t>().begin());
  c.output(argmax(c.given(tokens)));
  expect_value(c, array({3}, {1, 0, 3}), {});
}

TEST_P(ArgmaxTest, MatchesReference) {
  for (const Shape& shape : {Shape{1, 1}, Shape{2, 77}, Shape{3, 513}}) {
    OpCase c(act());
    c.output(argmax(c.indices(shape, 49408)));
    expect_reference(c, {});
  }
}

INSTANTIATE_OP_TEST(ArgmaxTest, Op::kArgmax);

}  // namespace
}  // namespace tintype::test
