// The engine with the model that comes with tintype.
#include "tintype/engine.h"

#include <thread>

#include <gtest/gtest.h>

#include "support/test_data.h"
#include "tintype/error.h"

namespace tintype {
namespace {

Request request(const std::string& prompt) {
  const std::string folder = test::asset("nano/");
  Request r;
  for (const char* file : {"nano_dit_convrot_int8.safetensors", "nano_t5_q5_k_m.gguf",
                           "nano_clip_l_f16.safetensors", "nano_ae_f16.safetensors"})
    r.files.push_back(folder + file);
  r.prompt = prompt;
  r.seed = 3;
  r.width = r.height = 64;
  r.steps = 2;
  return r;
}

EngineOptions with_threads(int threads) {
  EngineOptions options;
  options.threads = threads;
  return options;
}

TEST(Engine, PaintsTheSameInAnyThreadAndAnyNumberOfThem) {
  Engine one(with_threads(1));
  const Result first = one.generate(request("a red star"));
  EXPECT_EQ(first.picture.width, 64);
  EXPECT_EQ(one.generate(request("a red star")).picture.rgb, first.picture.rgb);
  // made here, used there: the number of threads must come along
  Engine three(with_threads(3));
  std::thread([&] {
    EXPECT_EQ(three.generate(request("a red star")).picture.rgb, first.picture.rgb);
  }).join();
  EXPECT_NE(one.generate(request("a blue house")).picture.rgb, first.picture.rgb);
}

TEST(Engine, ReportsWhatItPlans) {
  Engine engine(with_threads(1));
  const PlanReport plan = engine.plan(request("a red star"));
  const Result result = engine.generate(request("a red star"));
  ASSERT_EQ(plan.components.size(), 4u);
  for (size_t i = 0; i < plan.components.size(); ++i) {
    EXPECT_EQ(plan.components[i].arena_bytes, result.report.components[i].arena_bytes);
    EXPECT_GT(result.report.components[i].seconds, 0);
    EXPECT_TRUE(plan.components[i].unused.empty());
  }
  EXPECT_EQ(result.request.steps, 2);
  EXPECT_EQ(plan.streamed_bytes, 0u);
}

TEST(Engine, StopsWhenAsked) {
  Engine engine(with_threads(1));
  std::atomic<bool> cancel = false;
  JobControl control;
  control.cancel = &cancel;
  control.on_event = [&](const Event& event) { cancel = cancel || event.stage == "denoise"; };
  try {
    engine.generate(request("a red star"), control);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kCancelled);
  }
}

TEST(Engine, NegativePromptsOfAnotherLengthShareTheBudget) {
  Request r = request("a red star");
  r.cfg = 3;
  r.t5_length = 1;  // so that the prompts differ in length
  r.negative = "a blue house below a yellow moon on a black background";
  EngineOptions options = with_threads(1);
  const Result free = Engine(options).generate(r);
  options.budget = free.report.peak_bytes + (uint64_t{64} << 20);  // the process itself grew
  Engine tight(options);
  const PlanReport plan = tight.plan(r);
  EXPECT_LE(plan.peak_bytes, options.budget);
  EXPECT_EQ(tight.generate(r).picture.rgb, free.picture.rgb);
}

}  // namespace
}  // namespace tintype
