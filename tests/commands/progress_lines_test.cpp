#include "commands/progress_lines.h"

#include <sstream>

#include <gtest/gtest.h>

namespace tintype {
namespace {

Event progress(double fraction, int step = 0, int steps = 0) {
  return {.kind = Event::Kind::kProgress,
          .stage = "denoise",
          .text = {},
          .step = step,
          .steps = steps,
          .fraction = fraction};
}

TEST(ProgressLines, AreOnePerTenPerCentOnAPipe) {
  std::ostringstream out;
  ProgressLines lines(out, ProgressStyle::kLines);
  for (int i = 0; i <= 100; ++i) lines.show(progress(i / 100.0));
  std::string expected;
  for (int i = 10; i <= 100; i += 10) expected += "denoise " + std::to_string(i) + " %\n";
  EXPECT_EQ(out.str(), expected);
}

TEST(ProgressLines, NeverGoBack) {
  std::ostringstream out;
  ProgressLines lines(out, ProgressStyle::kLines);
  for (const double fraction : {0.5, 0.2, 0.55, 0.61}) lines.show(progress(fraction));
  EXPECT_EQ(out.str(), "denoise 50 %\ndenoise 60 %\n");
}

TEST(ProgressLines, StartAgainInEveryStage) {
  std::ostringstream out;
  ProgressLines lines(out, ProgressStyle::kLines);
  Event encode = progress(0.9);
  encode.stage = "encode";
  lines.show(encode);
  lines.show(progress(0.1));
  EXPECT_EQ(out.str(), "encode 90 %\ndenoise 10 %\n");
}

TEST(ProgressLines, AreJsonObjects) {
  EXPECT_EQ(event_json(progress(0.15, 3, 20)),
            R"({"event":"progress","stage":"denoise","step":3,"steps":20,"fraction":0.15})");
  EXPECT_EQ(event_json({.kind = Event::Kind::kStage, .stage = "encode", .text = "t5xxl"}),
            R"({"event":"stage","stage":"encode","text":"t5xxl"})");
  EXPECT_EQ(event_json({.kind = Event::Kind::kNotice, .stage = "load", .text = "a \"b\""}),
            R"({"event":"notice","stage":"load","text":"a \"b\""})");
}

TEST(ProgressLines, DrawABarThatIsRemoved) {
  std::ostringstream out;
  ProgressLines lines(out, ProgressStyle::kBar);
  lines.show(progress(0.5, 10, 20));
  EXPECT_NE(out.str().find("[###############...............]  50 %  10/20"), std::string::npos)
      << out.str();
  lines.finish();
  EXPECT_TRUE(out.str().ends_with("\r"));
}

TEST(ProgressLines, SayNothingWhenQuiet) {
  std::ostringstream out;
  ProgressLines lines(out, ProgressStyle::kNone);
  lines.show(progress(1, 20, 20));
  lines.show({.kind = Event::Kind::kNotice, .stage = "load", .text = "a"});
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace tintype
