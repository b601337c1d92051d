#include "formats/formats.h"
#include "support/op_test.h"

namespace tintype::test {
namespace {

class EmbeddingTest : public OpTest {};

TEST_P(EmbeddingTest, DecodesEveryFormat) {
  for (const Format* format : formats()) {
    SCOPED_TRACE(format->name());
    OpCase c(act());
    c.output(embedding(c.indices({2, 9}, 11), c.weight({11, 256}, *format), "layer"));
    expect_reference(c, rounding(act(), 0, 0));
  }
}

TEST_P(EmbeddingTest, FindsRowsInSlices) {
  OpCase c(act());
  auto slices = c.weight({5, 33}, kF32);
  const auto second = c.weight({8, 33}, kF32);
  slices.push_back({second[0].parameter, 2, 6});
  c.output(embedding(c.indices({1, 40}, 11), slices, "layer"));
  expect_reference(c, rounding(act(), 0, 0));
}

INSTANTIATE_OP_TEST(EmbeddingTest, Op::kEmbedding);

}  // namespace
}  // namespace tintype::test
