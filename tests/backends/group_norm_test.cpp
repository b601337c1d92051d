#include "support/op_test.h"

namespace tintype::test {
namespace {

class GroupNormTest : public OpTest {
 protected:
  void check(const Shape& shape, Dim groups, bool with_silu) {
    OpCase c(act());
    const Tensor x = c.act(shape, 2), scale = c.f32({shape[3]}), shift = c.f32({shape[3]});
    Tensor y = group_norm(x, scale, shift, groups, 1e-6f);
    if (with_silu)
      y = c.graph().node({.op = Op::kGroupNorm,
                          .inputs = {x, scale, shift},
                          .attrs = GroupNormAttrs{groups, 1e-6f, true},
                          .outputs = {x.type()}});
    c.output(y);
    expect_reference(c, rounding(act(), 32, 20));
  }
};

const std::pair<Shape, Dim> kShapes[] = {{{1, 1, 2, 4}, 2},    {{1, 3, 5, 7}, 7},
                                         {{2, 5, 3, 12}, 4},   {{1, 8, 8, 64}, 32},
                                         {{2, 16, 9, 96}, 32}, {{1, 64, 48, 128}, 32}};

TEST_P(GroupNormTest, MatchesReference) {
  for (const auto& [shape, groups] : kShapes) check(shape, groups, false);
}

TEST_P(GroupNormTest, FollowedBySilu) {
  for (const auto& [shape, groups] : kShapes) check(shape, groups, true);
}

TEST_P(GroupNormTest, KeepsPrecisionFarFromZero) {
  OpCase c(act());
  Array x({1, 16, 16, 64});
  for (Dim i = 0; i < x.elements(); ++i) x[i] = 1024 + 8 * static_cast<float>(i * 7 % 5);
  c.output(group_norm(c.given(x, act()), c.f32({64}), c.f32({64}), 32, 1e-6f));
  expect_reference(c, rounding(act(), 32, 20));
}

INSTANTIATE_OP_TEST(GroupNormTest, Op::kGroupNorm);

}  // namespace
}  // namespace tintype::test
