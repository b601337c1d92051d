#include "base/nearest_name.h"

#include <array>

#include <gtest/gtest.h>

#include "base/error.h"

namespace tintype {
namespace {

using namespace std::string_view_literals;

constexpr std::array kNames = {"euler"sv, "heun"sv, "dpmpp_2m"sv};

TEST(NearestName, FindsWhatWasMeant) {
  EXPECT_EQ(nearest_name("eulr", kNames), "euler");
  EXPECT_EQ(nearest_name("EULER", kNames), "euler");
  EXPECT_EQ(nearest_name("dpm++2m", kNames), "dpmpp_2m");
  EXPECT_EQ(nearest_name("huen", kNames), "heun");
}

TEST(NearestName, IsSilentWhereNothingIsNear) {
  EXPECT_EQ(nearest_name("unipc", kNames), "");
  EXPECT_EQ(nearest_name("", kNames), "");
  EXPECT_EQ(nearest_name("euler", {}), "");
}

struct Tool {
  std::string_view name;
};
constexpr Tool kTools[] = {{"hammer"}, {"saw"}};

TEST(FindNamed, GivesTheEntry) { EXPECT_EQ(&find_named<Tool>("tool", "saw", kTools), &kTools[1]); }

TEST(FindNamed, SaysWhatThereIsAndWhatWasMeant) {
  try {
    find_named<Tool>("tool", "hamer", kTools);
    FAIL() << "an unknown name was accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kUsage);
    EXPECT_STREQ(e.what(), "tool: \"hamer\" is unknown, needs one of hammer, saw");
    EXPECT_EQ(e.hint(), "did you mean hammer?");
  }
}

}  // namespace
}  // namespace tintype
