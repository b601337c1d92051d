// What the attention of the CPU backend could get wrong and the reference could not: blocks of
// queries and keys, the running maximum, padding, threads and memory.
#include <algorithm>
#include <cmath>

#include "backends/cpu/kernels.h"
#include "backends/reference/kernels.h"
#include "base/parallel.h"
#include "support/op_test.h"

namespace tintype::test {
namespace {

class CpuAttendTest : public testing::TestWithParam<DType> {
 protected:
  DType act() const { return GetParam(); }

  NamedArrays run(const OpCase& c, int thread_count = 0) {
    const int before = threads();
    if (thread_count > 0) set_threads(thread_count);
    NamedArrays out = evaluate(c.graph(), c.inputs(), cpu_backend(), test_facts());
    set_threads(before);
    return out;
  }

  // [B, S, H, D] with [B, T, H, D].
  void add_case(OpCase& c, const Shape& q, Dim keys, const AttendAttrs& attrs, bool bias = false) {
    const Shape kv{q[0], keys, q[2], q[3]};
    const Tensor query = c.act(q), key = c.act(kv), value = c.act(kv);
    c.output(attend(query, key, value, attrs, bias ? c.f32({q[2], q[1], keys}) : Tensor()));
  }
};

TEST_P(CpuAttendTest, BlocksOfQueriesAndKeys) {
  OpCase c(act());
  add_case(c, {1, 150, 2, 24}, 2500, {.scale = 0.2f});
  add_case(c, {1, 3, 1, 16}, 5000, {.scale = 2});
  add_case(c, {1, 1400, 1, 8}, 1400, {.scale = 0.3f, .causal = true});
  add_case(c, {1, 140, 1, 8}, 1300, {.scale = 0.3f}, /*bias=*/true);
  const NamedArrays got = run(c);
  const double allowed = act() == DType::kBF16 ? 0x1p-7 : 1e-6;
  for (const auto& [name, want] : evaluate(c.graph(), c.inputs(), reference_backend(), {}))
    EXPECT_LE(relative_l2(got.at(name), want), allowed) << name;
}

// The largest score of the first query is in its last block of keys, that of the second in its
// first: sums are scaled down by 2^-28854, or not at all.
TEST_P(CpuAttendTest, ScoresOfTenThousand) {
  constexpr Dim kKeys = 3000;
  Array q({1, 2, 1, 1}), k({1, kKeys, 1, 1}), v({1, kKeys, 1, 1});
  q[0] = 100;
  q[1] = -100;
  for (Dim i = 0; i < kKeys; ++i) {
    k[i] = i == 0 ? -100.0f : i == kKeys - 1 ? 100.0f : 0.0f;
    v[i] = i == 0 ? 3.0f : i == kKeys - 1 ? 5.0f : 1000.0f;
  }
  OpCase c(act());
  c.output(attend(c.given(q, act()), c.given(k, act()), c.given(v, act()), {}));
  const Array got = run(c).at("out0");
  EXPECT_FLOAT_EQ(got[0], 5);
  EXPECT_FLOAT_EQ(got[1], 3);
}

TEST_P(CpuAttendTest, KeepsNaN) {
  OpCase c(act());
  Array k = random_normal({1, 40, 1, 8}, 1);
  k[8 * 20] = NAN;
  c.output(attend(c.act({1, 3, 1, 8}), c.given(k, act()), c.act({1, 40, 1, 8}), {}));
  const Array out = run(c).at("out0");
  for (float x : out.values()) EXPECT_TRUE(std::isnan(x)) << x;
}

TEST_P(CpuAttendTest, SameBytesForAnyNumberOfThreads) {
  OpCase c(act());
  add_case(c, {2, 77, 3, 64}, 77, {.scale = 0.125f, .causal = true});
  add_case(c, {1, 300, 1, 40}, 1300, {.scale = 0.3f});
  add_case(c, {1, 1, 1, 128}, 500, {.scale = 0.3f});
  add_case(c, {1, 5, 7, 11}, 13, {.scale = 0.3f}, /*bias=*/true);
  const NamedArrays one = run(c, 1);
  for (int count : {2, 3})
    for (const auto& [name, got] : run(c, count))
      EXPECT_TRUE(std::ranges::equal(got.bytes(), one.at(name).bytes()))
          << name << ", " << count << " threads";
}

// Packed keys and values, and a bounded workspace for each thread.
TEST_P(CpuAttendTest, ScratchGrowsWithTheTokensAlone) {
  const auto scratch = [&](Dim tokens) {
    const Shape shape{1, tokens, 4, 64};
    Graph graph(act());
    const Tensor x = graph.input("x", shape, act(), Rate::kStep);
    const Node& node = attend(x, x, x, {}).node();
    const Layout layout = Layout::dense(shape);
    const Layout in[] = {layout, layout, layout}, out[] = {layout};
    DeviceFacts facts = test_facts();
    facts.threads = 1;
    const Kernel& kernel = choose_kernel(cpu_backend(), node, facts, {});
    return kernel.prepare({node, in, out}, facts)->scratch_bytes();
  };
  constexpr size_t kTokenBytes = 2 * 64 * sizeof(float);  // of a key and a value, one head
  EXPECT_LE(scratch(16384) - scratch(4096), 12288 * kTokenBytes + (1 << 20));
}

INSTANTIATE_TEST_SUITE_P(Types, CpuAttendTest, testing::Values(DType::kF32, DType::kBF16),
                         [](const auto& type) { return std::string(name(type.param)); });

}  // namespace
}  // namespace tintype::test
