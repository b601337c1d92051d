#include <cmath>

#include "support/op_test.h"

namespace tintype::test {
namespace {

class RopeTableTest : public OpTest {};

TEST_P(RopeTableTest, HasKnownValues) {
  OpCase c(act());
  c.output(rope_table(c.given(array({1, 2}, {3, 2})), {.axes = {2, 4}, .theta = 100}));
  const auto f = [](double x) { return static_cast<float>(x); };
  expect_value(c,
               array({1, 3, 2}, {f(std::cos(3.0)), f(std::sin(3.0)), f(std::cos(2.0)),
                                 f(std::sin(2.0)), f(std::cos(0.2)), f(std::sin(0.2))}),
               rounding(DType::kF32, 1, 1));
}

TEST_P(RopeTableTest, MatchesReference) {
  OpCase c(act());
  Array positions({70, 3});
  for (Dim i = 0; i < positions.elements(); ++i) positions[i] = static_cast<float>(i * 37 % 4096);
  c.output(rope_table(c.given(positions), {.axes = {16, 56, 56}, .theta = 10000}));
  expect_reference(c, rounding(DType::kF32, 1, 1));
}

INSTANTIATE_OP_TEST(RopeTableTest, Op::kRopeTable);

}  // namespace
}  // namespace tintype::test
