#include "formats/formats.h"
#include "support/op_test.h"

namespace tintype::test {
namespace {

class WeightTest : public OpTest {};

TEST_P(WeightTest, DecodesEveryFormat) {
  for (const Format* format : formats()) {
    SCOPED_TRACE(format->name());
    OpCase c(act());
    c.output(weight(c.graph(), c.weight({7, 256}, *format), {7, 256}, "layer"));
    expect_reference(c, {});
  }
}

TEST_P(WeightTest, StacksSlices) {
  OpCase c(act());
  auto slices = c.weight({5, 33}, kF32);
  const auto second = c.weight({300, 33}, kF16);
  slices.push_back({second[0].parameter, 7, 250});
  slices[0].first = 1, slices[0].rows = 3;
  c.output(weight(c.graph(), slices, {253, 33}, "layer"));
  expect_reference(c, {});
}

TEST_P(WeightTest, HasTheValuesOfTheParameter) {
  OpCase c(act());
  const auto slices = c.weight({77}, kF32);
  c.output(weight(c.graph(), slices, {77}, "bias"));
  expect_value(c, Array({77}, decode(*slices[0].parameter)), {});
}

INSTANTIATE_OP_TEST(WeightTest, Op::kWeight);

}  // namespace
}  // namespace tintype::test
