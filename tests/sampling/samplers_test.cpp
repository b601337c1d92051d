// Samplers on the one model whose paths are known exactly: latents drawn from a Gaussian.
#include "sampling/samplers.h"

#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "sampling/gaussian.h"
#include "sampling/schedules.h"
#include "support/compare.h"
#include "support/sampling_golden.h"

namespace tintype {
namespace {

using test::array_from;
using test::relative_l2;
using test::sampling_golden;

const Shape kShape = {2, 3, 2, 3};  // of x in the reference runs

// Row `i` of the states of a run.
Array state(const Array& states, Dim i) {
  const auto size = static_cast<size_t>(kShape.elements());
  return {kShape, states.values().subspan(static_cast<size_t>(i) * size, size)};
}

TEST(Sampler, EveryStateEqualsKDiffusion) {
  const auto mean = array_from(sampling_golden("samplers", "mean"), {3, 2, 3});
  const auto noise = sampling_golden("samplers", "noise");
  const float var = sampling_golden("samplers", "var");
  for (const auto& run : sampling_golden("samplers", "runs")) {
    SCOPED_TRACE(concat_text(run["sampler"], " ", run["prediction"], " ", run["label"]));
    const auto sigmas = run["sigmas"].get<std::vector<float>>();
    const auto count = static_cast<Dim>(sigmas.size());
    const auto prediction = run["prediction"] == "eps" ? Prediction::kEps : Prediction::kFlow;
    const Trajectory ours = trace(find_sampler(run["sampler"].get<std::string>()),
                                  gaussian_denoiser(prediction, mean, var),
                                  array_from(noise, kShape, sigmas[0]), sigmas);

    const Array theirs = array_from(run["trajectory"], {count, 2, 3, 2, 3});
    ASSERT_EQ(ours.states.shape(), theirs.shape());
    for (Dim i = 0; i < count; ++i)
      EXPECT_LE(relative_l2(state(ours.states, i), state(theirs, i)), 1e-6) << "step " << i;
    EXPECT_EQ(relative_l2(ours.out, state(ours.states, count - 1)), 0);
  }
}

// The exact path: x keeps its place relative to the spread of noisy latents.
float exact(Prediction prediction, float x, float mean, float var, float from, float to) {
  const auto centre = [&](float s) {
    return prediction == Prediction::kFlow ? (1 - s) * mean : mean;
  };
  const auto spread = [&](float s) {
    const float a = prediction == Prediction::kFlow ? 1 - s : 1;
    return std::sqrt(a * a * var + s * s);
  };
  return centre(to) + (x - centre(from)) * spread(to) / spread(from);
}

// The error at the end of `steps` steps, even in log sigma, from `from` down to `to`.
double error_after(const Sampler& sampler, Prediction prediction, int steps, float from, float to) {
  std::vector<float> sigmas;
  for (int i = 0; i <= steps; ++i)
    sigmas.push_back(from * std::pow(to / from, static_cast<float>(i) / static_cast<float>(steps)));
  const float mean = 0.5f, var = 0.3f;
  const std::vector<float> start = {1.7f * from}, means = {mean};
  const Trajectory path = trace(sampler, gaussian_denoiser(prediction, Array({1}, means), var),
                                Array({1}, start), sigmas);
  return std::abs(path.out[0] - exact(prediction, start[0], mean, var, from, sigmas.back()));
}

class SamplerOrder : public ::testing::TestWithParam<std::tuple<const char*, int, Prediction>> {};

TEST_P(SamplerOrder, HalvingTheStepsShowsIt) {
  const auto [name, order, prediction] = GetParam();
  // Short enough that the terms of the error don't cancel by chance.
  const auto [from, to] =
      prediction == Prediction::kFlow ? std::pair(0.8f, 0.3f) : std::pair(2.0f, 0.5f);
  const Sampler& sampler = find_sampler(name);
  for (const int steps : {8, 16}) {
    const double coarse = error_after(sampler, prediction, steps, from, to);
    const double fine = error_after(sampler, prediction, 2 * steps, from, to);
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.2) << steps << " steps";
  }
}

INSTANTIATE_TEST_SUITE_P(All, SamplerOrder,
                         ::testing::Values(std::tuple("euler", 1, Prediction::kEps),
                                           std::tuple("euler", 1, Prediction::kFlow),
                                           std::tuple("heun", 2, Prediction::kEps),
                                           std::tuple("heun", 2, Prediction::kFlow),
                                           std::tuple("dpmpp_2m", 2, Prediction::kEps),
                                           std::tuple("dpmpp_2m", 2, Prediction::kFlow)));

TEST(Sampler, ReachesTheGaussianItself) {
  const SigmaTable tables[] = {eps_table(), flow_table(kNoShift)};
  const Prediction predictions[] = {Prediction::kEps, Prediction::kFlow};
  for (int k = 0; k < 2; ++k)
    for (const Sampler& sampler : samplers()) {
      const auto sigmas = find_scheduler("normal")(tables[k], 100);
      const std::vector<float> start = {sigmas[0], -sigmas[0]}, means = {2};
      const Array out = trace(sampler, gaussian_denoiser(predictions[k], Array({1}, means), 0.25f),
                              Array({2, 1}, start), sigmas)
                            .out;
      for (Dim i = 0; i < 2; ++i)  // one standard deviation above and below the mean
        EXPECT_NEAR(out[i],
                    exact(predictions[k], start[static_cast<size_t>(i)], 2, 0.25f, sigmas[0], 0),
                    0.02)
            << sampler.name;
    }
}

TEST(Sampler, CallsTheModelAsOftenAsItSays) {
  const std::vector<float> to_zero = {1, 0.6f, 0.3f, 0}, above = {1, 0.6f, 0.3f};
  for (const Sampler& sampler : samplers())
    for (const auto& sigmas : {to_zero, above}) {
      int calls = 0, steps = 0;
      const Denoise count = [&](const Array& x, float) { return ++calls, 0.5f * x; };
      sampler.sample(count, Array({3}), sigmas,
                     [&](size_t i, const Array&) { EXPECT_EQ(static_cast<int>(i), steps++); });
      EXPECT_EQ(calls, evaluations(sampler, sigmas)) << sampler.name;
      EXPECT_EQ(steps, static_cast<int>(sigmas.size()) - 1);
    }
}

TEST(Sampler, AnExceptionFromACallbackStopsIt) {
  const std::vector<float> sigmas = {1, 0.5f, 0};
  for (const Sampler& sampler : samplers()) {
    int steps = 0;
    const OnStep stop = [&](size_t, const Array&) {
      ++steps;
      fail(ErrorCode::kCancelled, "stopped");
    };
    EXPECT_THROW(sampler.sample([](const Array& x, float) { return x; }, Array({1}), sigmas, stop),
                 Error);
    EXPECT_EQ(steps, 1);
  }
}

TEST(Sigmas, UnusableOnesAreRefused) {
  const float nan = std::nanf(""), inf = INFINITY;
  const std::vector<std::vector<float>> bad = {
      {}, {1}, {1, nan}, {inf, 1}, {1, -0.5f}, {0, 1}, {1, 0, 0.5f}, {1, 0.5f, 0.5f, 0}};
  for (const auto& sigmas : bad) EXPECT_THROW(check_sigmas(sigmas), Error);
  EXPECT_NO_THROW(check_sigmas(std::vector<float>{1, 0}));
  EXPECT_NO_THROW(check_sigmas(std::vector<float>{0.2f, 0.4f}));
}

}  // namespace
}  // namespace tintype
