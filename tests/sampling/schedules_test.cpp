#include "sampling/schedules.h"

#include <algorithm>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "base/error.h"
#include "sampling/samplers.h"
#include "support/compare.h"
#include "support/sampling_golden.h"

namespace tintype {
namespace {

using test::array_from;
using test::relative_l2;
using test::sampling_golden;

SigmaTable table_called(const std::string& name) {
  return name == "eps" ? eps_table() : flow_table(parse_shift(name));
}

std::vector<float> schedule(std::string_view shift, std::string_view scheduler, int steps) {
  return find_scheduler(scheduler)(flow_table(parse_shift(shift)), steps);
}

void expect_near(std::span<const float> values, std::span<const double> expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(double{values[i]}, expected[i], 5e-5) << "value " << i;
}

TEST(SigmaTable, EqualsTheReference) {
  for (const auto& item : sampling_golden("schedules", "tables")) {
    const SigmaTable table = table_called(item["table"]);
    ASSERT_EQ(table.sigmas.size(), item["levels"]);
    const auto expected = item["sigmas"].get<std::vector<float>>();
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_FLOAT_EQ(table.sigmas[i * item["every"].get<size_t>()], expected[i]) << item["table"];
    EXPECT_FLOAT_EQ(table.sigmas.back(), item["last"].get<float>());
  }
}

TEST(SigmaTable, StableDiffusionHasItsKnownEnds) {
  const SigmaTable table = eps_table();
  EXPECT_NEAR(table.sigmas.front(), 0.029167, 1e-6);
  EXPECT_NEAR(table.sigmas.back(), 14.614641, 1e-5);
  EXPECT_NEAR(table.sigma(500.5f), (table.sigmas[500] + table.sigmas[501]) / 2, 1e-5);
}

// Sums of f32 rounding: the reference's own exp, log and pow are within an ulp or two.
TEST(Scheduler, EqualsTheReference) {
  for (const auto& item : sampling_golden("schedules", "schedules")) {
    const auto sigmas = find_scheduler(item["scheduler"].get<std::string>())(
        table_called(item["table"]), item["steps"]);
    const Shape shape = {static_cast<Dim>(sigmas.size())};
    ASSERT_EQ(sigmas.size(), item["sigmas"].size()) << item;
    EXPECT_LE(relative_l2({shape, sigmas}, array_from(item["sigmas"], shape)), 2e-7) << item;
  }
}

TEST(Scheduler, KnownFlowSchedules) {
  const std::vector<double> alpha3 = {1, .9545, .9, .8333, .75, .6429, .5, .3, 0};
  const std::vector<double> mu115 = {1, .9567, .9045, .8403, .7595, .6546, .5128, .3109, 0};
  const std::vector<double> plain = {1, .75, .5, .25, 0};
  expect_near(schedule("3", "simple", 8), alpha3);
  expect_near(schedule("mu=1.15", "simple", 8), mu115);
  expect_near(schedule("none", "simple", 4), plain);
}

TEST(Scheduler, GivesWhatSamplersNeedAtEveryLength) {
  for (const std::string table_name : {"eps", "none", "3", "mu=1.15", "0.05"}) {
    const SigmaTable table = table_called(table_name);
    for (const Scheduler& scheduler : schedulers())
      for (const int steps : {1, 2, 3, 10, 50, 333, 999, 1000}) {
        SCOPED_TRACE(table_name + " " + std::string(scheduler.name) + " " + std::to_string(steps));
        const auto sigmas = scheduler(table, steps);
        EXPECT_NO_THROW(check_sigmas(sigmas));
        EXPECT_LE(sigmas.back(), scheduler.name == "normal" ? 1e-5f : 0);  // as ComfyUI's does
        EXPECT_TRUE(std::ranges::is_sorted(sigmas, std::greater()));
        EXPECT_TRUE(scheduler.name == "beta" || sigmas.size() == static_cast<size_t>(steps) + 1);
      }
  }
}

TEST(Scheduler, BetaDropsRepeats) {
  for (const auto& item : sampling_golden("schedules", "many")) {
    const auto sigmas = find_scheduler("beta")(table_called(item["table"]), item["steps"]);
    EXPECT_EQ(sigmas.size(), item["levels"]);
  }
}

TEST(Scheduler, RefusesStepsThatTheTableDoesNotHave) {
  for (const int steps : {-1, 0, 1001}) EXPECT_THROW(schedule("none", "simple", steps), Error);
  EXPECT_EQ(schedule("mu=1.15", "simple", 1001).size(), 1002u);
}

TEST(Scheduler, AnUnknownNameGetsASuggestion) {
  try {
    find_scheduler("karas");
    FAIL() << "an unknown name was accepted";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "scheduler: \"karas\" is unknown, needs one of simple, normal, karras, beta");
    EXPECT_EQ(e.hint(), "did you mean karras?");
  }
}

TEST(Shift, IsReadAndWritten) {
  using Kind = Shift::Kind;
  EXPECT_EQ(parse_shift("auto"), (Shift{Kind::kAuto, 0}));
  EXPECT_EQ(parse_shift("none"), kNoShift);
  EXPECT_EQ(parse_shift("3"), (Shift{Kind::kAlpha, 3}));
  EXPECT_EQ(parse_shift("mu=1.15"), (Shift{Kind::kMu, 1.15}));
  EXPECT_EQ(parse_shift("mu=-0.5"), (Shift{Kind::kMu, -0.5}));
  EXPECT_EQ(parse_shift("tokens"), (Shift{Kind::kTokens, 0}));
  for (const std::string text :
       {"auto", "none", "3", "0.1", "1.7182818284590453", "mu=1.15", "tokens"}) {
    std::ostringstream out;
    out << parse_shift(text);
    EXPECT_EQ(out.str(), text);
  }
}

TEST(Shift, RefusesWhatIsNone) {
  for (const std::string_view text : {"", "mu", "mu=", "mu=x", "3x", " 3", "0", "-1", "nan", "inf",
                                      "1e9", "mu=99", "mu=nan", "Auto"})
    EXPECT_THROW(parse_shift(text), Error) << text;
}

TEST(Shift, TokensFollowDiffusers) {
  EXPECT_DOUBLE_EQ(mu_for_tokens(256), 0.5);
  EXPECT_DOUBLE_EQ(mu_for_tokens(4096), 1.15);
  EXPECT_NEAR(mu_for_tokens(1024), 0.63, 1e-12);
  EXPECT_NEAR(mu_for_tokens(64), 0.4675, 1e-12);
  EXPECT_NEAR(mu_for_tokens(16384), 3.23, 1e-12);
}

TEST(Shift, SettlesOnTheModelsUnlessAsked) {
  using Kind = Shift::Kind;
  const Shift mu{Kind::kMu, 1.15}, tokens{Kind::kTokens, 0};
  EXPECT_EQ(settle({}, mu, 1024), mu);
  EXPECT_EQ(settle(kNoShift, mu, 1024), kNoShift);
  EXPECT_EQ(settle(tokens, mu, 4096), (Shift{Kind::kMu, mu_for_tokens(4096)}));
  EXPECT_EQ(settle({}, tokens, 256), (Shift{Kind::kMu, 0.5}));
}

}  // namespace
}  // namespace tintype
