#include "graph/plan.h"

#include <gtest/gtest.h>

#include "backends/cpu/kernels.h"
#include "backends/reference/kernels.h"
#include "base/error.h"
#include "formats/formats.h"
#include "graph/executor.h"
#include "graph/rewrite.h"
#include "support/evaluate.h"
#include "support/random_graph.h"

namespace tintype {
namespace {

// No two buffers that live at the same time overlap, and the arena is as large as the last end.
void expect_disjoint(const Plan& plan) {
  size_t end = 0;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const Buffer& a = plan.buffers[i];
    if (a.constant || a.last < 0) continue;
    end = std::max(end, a.offset + a.bytes);
    for (size_t k = 0; k < i; ++k) {
      const Buffer& b = plan.buffers[k];
      if (b.constant || b.last < 0 || b.last < a.first || a.last < b.first) continue;
      ASSERT_TRUE(a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset)
          << "buffers " << i << " and " << k;
    }
  }
  EXPECT_GE(plan.arena_bytes, end);
  EXPECT_LT(plan.arena_bytes, end + 128);
}

// Every operand of every step lies inside its buffer, and the step inside the buffer's life.
void expect_inside(const Plan& plan) {
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const auto check = [&](const Value& v) {
      const Buffer& b = plan.buffers[static_cast<size_t>(v.buffer)];
      ASSERT_TRUE(b.constant || (b.first <= static_cast<int>(i) && static_cast<int>(i) <= b.last));
      Dim last = 0;
      for (int a = 0; a < v.layout.shape.rank(); ++a)
        last += (v.layout.shape[a] - 1) * v.layout.strides[static_cast<size_t>(a)];
      ASSERT_LE(v.offset + static_cast<size_t>(last + 1) * size_of(v.dtype), b.bytes);
    };
    for (const Value& v : plan.steps[i].in) check(v);
    for (const Value& v : plan.steps[i].out) check(v);
  }
}

class PlanTest : public testing::TestWithParam<const Backend*> {};

TEST_P(PlanTest, RandomGraphsRunAsTheyRead) {
  const Backend& backend = *GetParam();
  const DeviceFacts facts = test::test_facts();
  for (uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    test::OpCase c(DType::kF32);
    test::add_random_graph(c, seed, 12 + static_cast<int>(seed % 40));
    const Plan plan = make_plan(c.graph(), backend, facts, {});
    expect_disjoint(plan);
    expect_inside(plan);

    Executor executor(plan);
    // the same kernels on memory of their own: not one bit may differ
    const auto rewritten = rewrite(c.graph(), {});
    const NamedArrays want = test::evaluate(*rewritten, c.inputs(), backend, facts);
    executor.begin_job(c.inputs());
    for (int pass = 0; pass < 2; ++pass) {  // a second pass must find everything intact
      const NamedArrays got = executor.run(c.inputs());
      for (const auto& [name, array] : want)
        EXPECT_TRUE(test::is_close(got.at(name), array, {})) << name << " in pass " << pass;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, PlanTest, testing::Values(&reference_backend(), &cpu_backend()),
                         [](const auto& backend) { return std::string(backend.param->name); });

TEST(Plan, JobNodesRunOnce) {
  Graph g;
  const Tensor job = g.input("job", {1, 2, 4}, DType::kF32, Rate::kJob);
  const Tensor step = g.input("step", {1, 2, 4}, DType::kF32, Rate::kStep);
  g.output("y", silu(job) + step);
  const Plan plan = make_plan(g, reference_backend(), {}, {});
  EXPECT_EQ(plan.job_steps, 1);

  Executor executor(plan);
  const Array one = test::array({1, 2, 4}, {1, 1, 1, 1, 1, 1, 1, 1});
  executor.begin_job({{"job", one}});
  const Array first = executor.run({{"step", one}}).at("y");
  EXPECT_EQ(test::max_abs(executor.run({{"step", one}}).at("y"), first), 0);
}

TEST(Plan, PartsOfAConcatAreMadeInPlace) {
  Graph g;
  const Tensor x = g.input("x", {1, 3, 4}, DType::kF32, Rate::kStep);
  g.output("y", 2.0f * concat({silu(x), gelu_tanh(x)}, 2));
  const Plan plan = make_plan(g, reference_backend(), {}, {});
  for (const Step& step : plan.steps) EXPECT_NE(step.node->op, Op::kConcat);
}

TEST(Plan, OutputsTakeOverDyingInputs) {
  Graph g;
  const Tensor x = g.input("x", {64, 64}, DType::kF32, Rate::kStep);
  Tensor y = x;
  for (int i = 0; i < 5; ++i) y = static_cast<float>(i + 2) * y;
  g.output("y", y);
  EXPECT_LE(make_plan(g, reference_backend(), {}, {}).arena_bytes, 2 * 64 * 64 * sizeof(float));
}

TEST(Plan, RefusesAnExcludedKernelByName) {
  Graph g;
  g.output("y", silu(g.input("x", {4}, DType::kF32, Rate::kStep)));
  try {
    make_plan(g, reference_backend(), {},
              {.routes = {.excluded = {"reference.silu"}, .forced = {}}});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kMachine);
    EXPECT_STREQ(e.what(),
                 "x: no kernel of reference can run silu here (reference.silu is excluded)");
  }
}

TEST(Plan, BudgetPinsWhatFitsAndStreamsTheRest) {
  test::OpCase c(DType::kF32);
  Tensor x = c.act({1, 4, 64});
  for (int i = 0; i < 8; ++i) x = linear(x, c.weight({64, 64}, tintype::kF32), {}, "w");
  c.output(x);
  const Plan all = make_plan(c.graph(), reference_backend(), {}, {});
  EXPECT_EQ(all.pinned_bytes(), all.weight_bytes());

  Plan plan = lower(c.graph(), reference_backend(), {}, {});
  place_buffers(plan);
  const size_t one = 64 * 64 * sizeof(float);
  place_weights(plan, plan.arena_bytes + plan.prepared_bytes + 3 * one);
  EXPECT_LE(plan.resident_bytes(), plan.arena_bytes + plan.prepared_bytes + 3 * one);
  EXPECT_LT(plan.pinned_bytes(), plan.weight_bytes());
  EXPECT_THROW(place_weights(plan, plan.arena_bytes), Error);

  Executor streamed(plan), pinned(all);
  streamed.begin_job(c.inputs());
  pinned.begin_job(c.inputs());
  EXPECT_EQ(test::max_abs(streamed.run(c.inputs()).begin()->second,
                          pinned.run(c.inputs()).begin()->second),
            0);
}

}  // namespace
}  // namespace tintype
