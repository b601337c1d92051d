#include "commands/layer_table.h"

#include <gtest/gtest.h>

namespace tintype {
namespace {

LayerLine line(const std::string& name, const Shape& shape = {4, 4},
               const std::string& format = "f32") {
  return {name, 1, shape, format, 64, "cpu.linear.f32", "cpu.linear.rows"};
}

TEST(LayerTable, GathersLayersThatDifferInTheirNumbers) {
  const auto lines = abbreviated({line("blocks.0.a.weight"), line("blocks.0.b.weight"),
                                  line("blocks.1.a.weight"), line("blocks.10.a.weight")});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].name, "blocks.*.a.weight");
  EXPECT_EQ(lines[0].count, 3u);
  EXPECT_EQ(lines[0].bytes, 192u);
  EXPECT_EQ(lines[1].name, "blocks.0.b.weight");
  EXPECT_EQ(lines[1].count, 1u);
}

TEST(LayerTable, KeepsApartWhatHasAnotherShapeOrFormat) {
  const auto lines =
      abbreviated({line("a.0.w"), line("a.1.w", {4, 8}), line("a.2.w", {4, 4}, "q6_k")});
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1].name, "a.1.w");
}

TEST(LayerTable, NumbersInsideWordsAreNotCounters) {
  const auto lines = abbreviated(
      {line("wi_0.weight"), line("wi_1.weight"), line("0.w"), line("1.w"), line("attn1.w")});
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].name, "wi_0.weight");
  EXPECT_EQ(lines[2].name, "*.w");
}

}  // namespace
}  // namespace tintype
