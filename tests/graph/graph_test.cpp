#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "formats/formats.h"
#include "graph/ops.h"
#include "graph/rewrite.h"
#include "support/op_test.h"

namespace tintype {
namespace {

using testing::HasSubstr;

TEST(Graph, SameExpressionIsSameNode) {
  Graph g;
  const Tensor x = g.input("x", {2, 4}, DType::kF32, Rate::kStep);
  EXPECT_EQ(silu(x), silu(x));
  EXPECT_EQ(1.0f + x, 1.0f + x);
  EXPECT_NE(1.0f + x, 2.0f + x);
  EXPECT_EQ(g.constant(Array({1}, std::array{3.0f})), g.constant(Array({1}, std::array{3.0f})));
  EXPECT_EQ(quantise_rows(x, 0), quantise_rows(x, 0));
}

TEST(Graph, RateIsThatOfTheFastestInput) {
  Graph g;
  const Tensor job = g.input("j", {2}, DType::kF32, Rate::kJob);
  const Tensor step = g.input("s", {2}, DType::kF32, Rate::kStep);
  EXPECT_EQ(silu(job).node().rate, Rate::kJob);
  EXPECT_EQ((job + step).node().rate, Rate::kStep);
}

TEST(Graph, RefusesInputsOfOneName) {
  Graph g;
  g.input("x", {1}, DType::kF32, Rate::kJob);
  EXPECT_THROW(g.input("x", {2}, DType::kF32, Rate::kJob), Error);
}

template <class F>
std::string message(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(Ops, SayWhatDoesNotFit) {
  Graph g;
  const Tensor x = g.input("x", {2, 3, 8}, DType::kF32, Rate::kStep);
  const Tensor codes = g.input("c", {2, 8}, DType::kI8, Rate::kStep);
  EXPECT_EQ(message([&] { silu(codes); }), "silu: needs floats, got i8");
  EXPECT_EQ(message([&] { reshape(x, {5}); }), "reshape: [2, 3, 8] has 48 elements, [5] needs 5");
  EXPECT_THAT(message([&] { slice(x, 2, 4, 5); }), HasSubstr("4..9 is outside axis 2"));
  EXPECT_THAT(message([&] { split(x, 1, {1, 1}); }), HasSubstr("sizes sum to 2"));
  EXPECT_THAT(message([&] { permute(x, {0, 0, 1}); }), HasSubstr("named twice"));
  EXPECT_THAT(message([&] { concat({x, slice(x, 0, 0, 1)}, 1); }), HasSubstr("concat"));
  EXPECT_THAT(message([&] { x + slice(x, 2, 0, 3); }), HasSubstr("do not broadcast"));
}

TEST(Rewrite, FusesModulatedNormAndGatedSum) {
  Graph g;
  const Tensor x = g.input("x", {1, 3, 8}, DType::kF32, Rate::kStep);
  const Tensor mod = g.input("m", {1, 1, 24}, DType::kF32, Rate::kStep);
  const auto [shift, scale, gate] = chunk<3>(mod, 2);
  g.output("y", x + gate * (layer_norm(x, 1e-6f) * (1.0f + scale) + shift));
  const auto out = rewrite(g, {});
  const Node& sum = out->outputs()[0].tensor.node();
  EXPECT_EQ(sum.op, Op::kGatedAdd);
  EXPECT_EQ(sum.inputs[2].node().op, Op::kLayerNorm);
  EXPECT_EQ(sum.inputs[2].node().inputs.size(), 3u);
}

TEST(Rewrite, KeepsANormThatSomebodyElseReads) {
  Graph g;
  const Tensor x = g.input("x", {1, 3, 8}, DType::kF32, Rate::kStep);
  const Tensor n = layer_norm(x, 1e-6f);
  g.output("y", n * slice(x, 1, 0, 1) + slice(x, 1, 1, 1));
  g.output("n", n);
  EXPECT_EQ(rewrite(g, {})->outputs()[0].tensor.node().op, Op::kAdd);
}

TEST(Rewrite, SlicesShareOneQuantisation) {
  test::OpCase c(DType::kF32);
  const Tensor x = c.act({1, 3, 64});
  std::vector<RowSlice> q = c.weight({8, 64}, kInt8, 16);
  const std::vector<RowSlice> k = c.weight({4, 64}, kInt8, 16);
  q.push_back(k[0]);
  c.output(linear(x, q, {}, "qk"));
  const auto out = rewrite(c.graph(), {});
  const Node& both = out->outputs()[0].tensor.node();
  ASSERT_EQ(both.op, Op::kConcat);
  EXPECT_EQ(both.inputs[0].node().inputs[0], both.inputs[1].node().inputs[0]);

  const auto plain = rewrite(c.graph(), {.weight_only = true});
  EXPECT_EQ(plain->outputs()[0].tensor.node().inputs[0].node().op, Op::kLinear);
}

TEST(Rewrite, JoinsNeighbouringSlices) {
  test::OpCase c(DType::kF32);
  const Tensor x = c.act({2, 8});
  const RowSlice whole = c.weight({6, 8}, tintype::kF32)[0];
  c.output(linear(x, {{whole.parameter, 0, 2}, {whole.parameter, 2, 4}}, {}, "w"));
  const auto out = rewrite(c.graph(), {});
  const Node& node = out->outputs()[0].tensor.node();
  EXPECT_EQ(node.op, Op::kLinear);
  EXPECT_EQ(node.weight, (std::vector<RowSlice>{whole}));
}

}  // namespace
}  // namespace tintype
