#include "commands/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tintype/error.h"

namespace tintype {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The options of a small command, and what is typed for it.
struct Sample {
  int steps = 20;
  double cfg = 1;
  uint64_t bytes = 0;
  std::string name = "euler", what;
  std::vector<std::string> models, files;
  bool force = false;
  Options options{"paint", "paints", "  tintype paint\n"};

  Sample() {
    options.add("WHAT", what, "WHAT", "a thing");
    options.add("FILE", files, "FILE", "files");
    options.add("--steps", steps, "N", "steps");
    options.add("--cfg", cfg, "X", "cfg");
    options.add("--bytes", bytes, "N", "bytes");
    options.add("-n,--name", name, "NAME", "name");
    options.add("-m,--model", models, "FILE", "model");
    options.add("--force", force, "force");
  }
  bool parse(const std::vector<const char*>& arguments) {
    return options.parse(static_cast<int>(arguments.size()), arguments.data());
  }
};

TEST(Options, KeepTheirDefaults) {
  Sample s;
  EXPECT_TRUE(s.parse({}));
  EXPECT_EQ(s.steps, 20);
  EXPECT_EQ(s.name, "euler");
  EXPECT_FALSE(s.options.given("--steps"));
  EXPECT_FALSE(s.options.given("FILE"));
}

TEST(Options, TakeValues) {
  Sample s;
  EXPECT_TRUE(s.parse({"thing", "--steps", "4", "--cfg=1.5", "a", "b", "-n", "heun", "--force",
                       "--bytes", "18446744073709551615"}));
  EXPECT_EQ(s.what, "thing");
  EXPECT_THAT(s.files, ElementsAre("a", "b"));
  EXPECT_EQ(s.steps, 4);
  EXPECT_EQ(s.cfg, 1.5);
  EXPECT_EQ(s.name, "heun");
  EXPECT_EQ(s.bytes, 18446744073709551615u);
  EXPECT_TRUE(s.force);
  EXPECT_TRUE(s.options.given("--steps"));
  EXPECT_TRUE(s.options.given("--name"));
}

TEST(Options, ListsTakeOneValueEachTime) {
  Sample s;
  EXPECT_TRUE(s.parse({"-m", "a", "thing", "-m", "b"}));
  EXPECT_THAT(s.models, ElementsAre("a", "b"));
  EXPECT_EQ(s.what, "thing");
}

TEST(Options, TheLastOfSeveralWins) {
  Sample s;
  EXPECT_TRUE(s.parse({"--steps", "1", "--steps", "2"}));
  EXPECT_EQ(s.steps, 2);
}

TEST(Options, ValuesMayLookLikeOptions) {
  Sample s;
  EXPECT_TRUE(s.parse({"--steps", "-1", "-n", "-", "--cfg", "-0.5"}));
  EXPECT_EQ(s.steps, -1);
  EXPECT_EQ(s.name, "-");
  EXPECT_EQ(s.cfg, -0.5);
}

TEST(Options, ValuesMayBeEmpty) {
  Sample s;
  EXPECT_TRUE(s.parse({"", "-n", ""}));
  EXPECT_TRUE(s.options.given("WHAT"));
  EXPECT_EQ(s.name, "");
}

struct BadLine {
  std::vector<const char*> arguments;
  const char *sentence, *hint;
};

class OptionsRefusal : public testing::TestWithParam<BadLine> {};

TEST_P(OptionsRefusal, NamesTheOption) {
  Sample s;
  try {
    s.parse(GetParam().arguments);
    FAIL() << "was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_THAT(error.what(), HasSubstr(GetParam().sentence));
    EXPECT_THAT(error.hint(), HasSubstr(GetParam().hint));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, OptionsRefusal,
    testing::Values(BadLine{{"--stepz", "1"}, "--stepz is unknown", "did you mean --steps?"},
                    BadLine{{"--zzzzzzzzzz"}, "--zzzzzzzzzz is unknown", "paint --help"},
                    BadLine{{"--steps", "4x"}, "--steps: \"4x\" is not a whole number", ""},
                    BadLine{{"--steps", "1.5"}, "--steps: \"1.5\" is not a whole number", ""},
                    BadLine{{"--steps", "99999999999"}, "is not a whole number", ""},
                    BadLine{{"--bytes", "-1"}, "--bytes: \"-1\" is not a whole number from 0", ""},
                    BadLine{{"--cfg", "inf"}, "--cfg: \"inf\" is not a number", ""},
                    BadLine{{"--cfg", ""}, "--cfg: \"\" is not a number", ""},
                    BadLine{{"--steps"}, "--steps", "paint --help"}));

TEST(Options, HelpTeaches) {
  Sample s;
  testing::internal::CaptureStdout();
  EXPECT_FALSE(s.parse({"--help"}));
  const std::string help = testing::internal::GetCapturedStdout();
  for (const char* part : {"tintype paint", "--steps N=20", "NAME=euler", "Examples:"})
    EXPECT_THAT(help, HasSubstr(part));
}

}  // namespace
}  // namespace tintype
