#include "support/op_test.h"

namespace tintype::test {
namespace {

class MulTest : public OpTest {};

TEST_P(MulTest, MatchesReference) {
  const std::pair<Shape, Shape> shapes[] = {{{1}, {1}},
                                            {{3, 7}, {3, 7}},
                                            {{2, 5, 33}, {33}},
                                            {{2, 5, 33}, {2, 1, 33}},
                                            {{2, 5, 33}, {2, 5, 1}},
                                            {{2, 3, 4, 5}, {3, 1, 5}},
                                            {{17}, {4, 17}},
                                            {{3, 9001}, {1}}};
  for (const auto& [a, b] : shapes)
    for (bool f32 : {false, true}) {
      OpCase c(act());
      const Tensor x = c.act(a);
      c.output(x * (f32 ? c.f32(b) : c.act(b)));
      expect_reference(c, rounding(act(), 0, 0));
    }
}

INSTANTIATE_OP_TEST(MulTest, Op::kMul);

}  // namespace
}  // namespace tintype::test
