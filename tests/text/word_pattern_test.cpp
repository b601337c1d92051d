#include "text/word_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace tintype {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(WordPattern, FindsAllMatchesInOrder) {
  const WordPattern pattern(R"(\p{L}+|\p{N})");
  EXPECT_THAT(pattern.words("Grüße, 42 猫!"), ElementsAre("Grüße", "4", "2", "猫"));
  EXPECT_THAT(pattern.words("..."), IsEmpty());
  EXPECT_THAT(pattern.words(""), IsEmpty());
}

TEST(WordPattern, SpaceClassIsWhiteSpaceAndNothingElse) {
  const WordPattern pattern("[" + std::string(WordPattern::kSpaceClass) + "]");
  EXPECT_EQ(pattern.words("\t\n\v\f\r \u0085\u00A0\u1680\u2000\u200A\u2028\u2029\u202F\u205F\u3000")
                .size(),
            16u);
  EXPECT_THAT(pattern.words("a_\u180E\u200B\u2060\uFEFF\u001C"), IsEmpty());
}

TEST(WordPattern, RefusesAPatternThatIsNone) { EXPECT_THROW(WordPattern("("), Error); }

}  // namespace
}  // namespace tintype
