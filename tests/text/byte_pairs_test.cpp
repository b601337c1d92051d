#include "text/byte_pairs.h"

#include <map>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tintype {
namespace {

using testing::ElementsAre;

constexpr std::string_view kMerges = "a a\nb c\naa aa\naa bc\nbc d</w>\na d</w>\n";

// The definition: the first listed pair of all, everywhere from left to right, again and again.
std::vector<std::string> naive(std::vector<std::string> parts) {
  std::map<std::pair<std::string, std::string>, int> ranks{
      {{"a", "a"}, 0},   {{"b", "c"}, 1},      {{"aa", "aa"}, 2},
      {{"aa", "bc"}, 3}, {{"bc", "d</w>"}, 4}, {{"a", "d</w>"}, 5}};
  while (true) {
    int best = 6;
    for (size_t i = 0; i + 1 < parts.size(); ++i)
      if (const auto it = ranks.find({parts[i], parts[i + 1]}); it != ranks.end())
        best = std::min(best, it->second);
    if (best == 6) return parts;
    std::vector<std::string> merged;
    for (size_t i = 0; i < parts.size(); ++i) {
      const bool hit = i + 1 < parts.size() && ranks.contains({parts[i], parts[i + 1]}) &&
                       ranks[{parts[i], parts[i + 1]}] == best;
      merged.push_back(hit ? parts[i] + parts[i + 1] : parts[i]);
      i += hit;
    }
    parts = merged;
  }
}

TEST(BytePairs, MergesAsTheDefinitionSays) {
  const BytePairs pairs(kMerges, 100, "</w>");
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string word(1 + random() % 12, 'a');
    for (char& letter : word) letter = "aaabcd"[random() % 6];
    std::vector<std::string> letters;
    for (const char letter : word) letters.emplace_back(1, letter);
    letters.back() += "</w>";

    std::vector<int32_t> ids;
    pairs.encode(word, ids);
    std::vector<std::string> pieces;
    for (const int32_t id : ids) pieces.push_back(pairs.piece(id));
    EXPECT_EQ(pieces, naive(letters)) << word;
  }
}

TEST(BytePairs, IdsFollowTheByteAlphabet) {
  const BytePairs pairs("", 0, "</w>");
  std::vector<int32_t> ids;
  pairs.encode("!~\xA1\xFF\x20\xAD", ids);
  EXPECT_THAT(ids, ElementsAre(0, 93, 94, 187, 188 + 32, 256 + 255));
  EXPECT_EQ(pairs.piece(220), "Ġ");
  EXPECT_EQ(pairs.piece(188), "Ā");
  EXPECT_EQ(pairs.piece(187), "ÿ");
  EXPECT_EQ(pairs.piece(511), "\u0143</w>");
}

TEST(BytePairs, WithoutWordEndsMergesFollowTheBytes) {
  const BytePairs pairs("a b\nab c\n", 2, "");
  std::vector<int32_t> ids;
  pairs.encode("abcab", ids);
  EXPECT_THAT(ids, ElementsAre(257, 256));
}

TEST(BytePairs, MergesBeyondTheCountAreIgnored) {
  const BytePairs pairs("a b\nab c\n", 1, "");
  std::vector<int32_t> ids;
  pairs.encode("abc", ids);
  EXPECT_THAT(ids, ElementsAre(256, 66));
}

TEST(BytePairs, AnEmptyWordHasNoIds) {
  std::vector<int32_t> ids;
  BytePairs("", 0, "</w>").encode("", ids);
  EXPECT_TRUE(ids.empty());
}

}  // namespace
}  // namespace tintype
