#include "text/clip_tokenizer.h"

#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/text_vectors.h"

namespace tintype {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ClipVectors : public testing::TestWithParam<const char*> {};

TEST_P(ClipVectors, AgreesWithTheLibrary) {
  const auto vectors = test::read_text_vectors(GetParam());
  const auto tokenizer = clip_tokenizer(vectors.rows);
  for (const auto& item : vectors.cases) {
    SCOPED_TRACE(item.name);
    EXPECT_EQ(tokenizer->encode(item.text).ids, item.ids);
    if (item.framed.empty() || item.frame_pad) continue;  // SDXL's second encoder pads with zeros
    EXPECT_EQ(tokenizer->frame(item.text, 77), item.framed);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, ClipVectors, testing::Values("clip.json", "clip_4096.json"));

TEST(ClipTokenizer, SpellsPiecesAsTheVocabularyDoes) {
  const auto tokenizer = clip_tokenizer(49408);
  const Tokens tokens = tokenizer->encode("It's a Cat, é");
  EXPECT_THAT(tokens.pieces,
              ElementsAre("it</w>", "'s</w>", "a</w>", "cat</w>", ",</w>", "Ã©</w>"));
  EXPECT_EQ(tokens.ids.size(), tokens.pieces.size());
  EXPECT_EQ(tokenizer->source(), "compiled in");
}

TEST(ClipTokenizer, TakesSpecialStringsAsText) {
  const auto ids = clip_tokenizer(49408)->encode("<|endoftext|> <|startoftext|>").ids;
  EXPECT_THAT(ids, Each(testing::Lt(49406)));
}

TEST(ClipTokenizer, FrameIsExactlyAsLongAsAsked) {
  const auto tokenizer = clip_tokenizer(49408);
  const std::string words_100 = [] {
    std::string text;
    for (int i = 0; i < 100; ++i) text += "cat ";
    return text;
  }();
  const auto cut = tokenizer->frame(words_100, 77);
  ASSERT_EQ(cut.size(), 77u);
  EXPECT_EQ(cut.front(), 49406);
  EXPECT_EQ(cut[75], 2368);
  EXPECT_EQ(cut.back(), 49407);

  EXPECT_THAT(tokenizer->frame("", 4), ElementsAre(49406, 49407, 49407, 49407));
  EXPECT_THAT(tokenizer->frame("cat", 2), ElementsAre(49406, 49407));
  EXPECT_THROW(tokenizer->frame("cat", 1), Error);
}

TEST(ClipTokenizer, RowsDecideHowManyMergesThereAre) {
  EXPECT_THAT(clip_tokenizer(514)->frame("ab", 4), ElementsAre(512, 64, 256 + 65, 513));
  EXPECT_THAT(clip_tokenizer(49410)->frame("cat", 3), ElementsAre(49406, 2368, 49407));
  EXPECT_EQ(clip_tokenizer(49410)->rows(), 49408);
  EXPECT_EQ(clip_tokenizer(4096)->rows(), 4096);
  try {
    clip_tokenizer(513);
    FAIL() << "513 rows were accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadFile);
    EXPECT_THAT(error.what(), HasSubstr("has 513 rows"));
  }
}

TEST(ClipTokenizer, AnyBytesAreText) {
  const auto tokenizer = clip_tokenizer(49408);
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string text(random() % 40, '\0');
    for (char& byte : text) byte = static_cast<char>(random());
    EXPECT_THAT(tokenizer->encode(text).ids,
                Each(testing::AllOf(testing::Ge(0), testing::Lt(49406))));
  }
}

// A quadratic step anywhere would need hours.
TEST(ClipTokenizer, LongWordsAreNoTrouble) {
  const auto tokenizer = clip_tokenizer(49408);
  constexpr size_t kLength = 1'000'000;
  EXPECT_EQ(tokenizer->encode(std::string(kLength, 'a')).ids.size(), 125001u);
  EXPECT_THAT(tokenizer->encode(std::string(kLength, ' ')).ids, IsEmpty());
  EXPECT_EQ(tokenizer->encode(std::string(kLength, '7')).ids.size(), kLength);
  EXPECT_EQ(tokenizer->encode(std::string(kLength, '\xFF')).ids.size(), kLength);

  std::string marks = "a";  // U+0301 and U+0323, out of canonical order
  for (size_t i = 0; i < kLength / 4; ++i) marks += "\xCC\x81\xCC\xA3";
  EXPECT_FALSE(tokenizer->encode(marks).ids.empty());
}

}  // namespace
}  // namespace tintype
