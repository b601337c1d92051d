#include "graph/executor.h"

#include <gtest/gtest.h>

#include "backends/cpu/kernels.h"
#include "backends/reference/kernels.h"
#include "base/error.h"
#include "formats/formats.h"
#include "support/allocations.h"
#include "support/op_test.h"

namespace tintype {
namespace {

struct Example {
  Example() : c(DType::kF32) {
    const Tensor x = c.act({1, 512, 256});
    const Tensor n = layer_norm(x, 1e-6f);
    const Tensor q = split_in_heads(linear(n, c.weight({256, 256}, kInt8, 256), {}, "q"));
    c.output(x + reshape(attend(q, q, q, {.scale = 0.125f}), x.shape()));
  }
  static Tensor split_in_heads(Tensor x) { return reshape(x, {1, 512, 4, 64}); }
  test::OpCase c;
};

TEST(Executor, RunAllocatesNothingOfATensorsSize) {
  Example e;
  const Plan plan = make_plan(e.c.graph(), cpu_backend(), test::test_facts(), {});
  Executor executor(plan);
  executor.begin_job(e.c.inputs());
  executor.run(e.c.inputs());  // threads and caches of libraries are made once

  size_t during_steps = 0;
  RunControl control;
  control.before_step = [](const Step&) { test::take_largest_allocation(); };
  control.after_step = [&](const Step&) {
    during_steps = std::max(during_steps, test::take_largest_allocation());
  };
  executor.run(e.c.inputs(), control);
  EXPECT_LT(during_steps, 16384u);  // small handles are allowed
}

TEST(Executor, LeavesACrumbAndReportsProgress) {
  Example e;
  const Plan plan = make_plan(e.c.graph(), reference_backend(), {}, {});
  Executor executor(plan);
  Breadcrumb crumb;
  double last = 0;
  RunControl control;
  control.crumb = &crumb;
  control.progress = [&](double share) {
    EXPECT_GE(share, last);
    last = share;
  };
  executor.begin_job(e.c.inputs());
  executor.run(e.c.inputs(), control);
  EXPECT_NEAR(last, 1, 1e-9);
  EXPECT_STREQ(crumb.kernel, plan.steps.back().kernel->id.data());
}

TEST(Executor, StopsBeforeTheNextKernel) {
  Example e;
  const Plan plan = make_plan(e.c.graph(), reference_backend(), {}, {});
  Executor executor(plan);
  executor.begin_job(e.c.inputs());
  std::atomic<bool> cancel = false;
  int steps = 0;
  RunControl control;
  control.cancel = &cancel;
  control.after_step = [&](const Step&) {
    ++steps;
    cancel = true;
  };
  try {
    executor.run(e.c.inputs(), control);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCancelled);
  }
  EXPECT_EQ(steps, 1);
}

TEST(Executor, NamesAWrongInput) {
  Example e;
  const Plan plan = make_plan(e.c.graph(), reference_backend(), {}, {});
  Executor executor(plan);
  executor.begin_job(e.c.inputs());
  NamedArrays wrong = e.c.inputs();
  wrong.begin()->second = Array({1, 2});
  EXPECT_THROW(executor.run(wrong), Error);
  EXPECT_THROW(executor.run({}), Error);
}

}  // namespace
}  // namespace tintype
