#include "support/op_test.h"

namespace tintype::test {
namespace {

class GatedAddTest : public OpTest {};

TEST_P(GatedAddTest, MatchesReference) {
  const std::pair<Shape, Shape> shapes[] = {{{1}, {1}},
                                            {{2, 5, 33}, {2, 1, 33}},
                                            {{2, 5, 33}, {2, 5, 33}},
                                            {{2, 5, 33}, {2, 5, 1}},
                                            {{2, 5, 33}, {33}},
                                            {{1, 3, 9001}, {1, 1, 9001}}};
  for (const auto& [shape, gate] : shapes)
    for (bool f32 : {false, true}) {
      OpCase c(act());
      const Tensor x = c.act(shape), y = c.act(shape);
      c.output(gated_add(x, f32 ? c.f32(gate) : c.act(gate), y));
      expect_reference(c, rounding(act(), 1, 16));
    }
}

INSTANTIATE_OP_TEST(GatedAddTest, Op::kGatedAdd);

}  // namespace
}  // namespace tintype::test
