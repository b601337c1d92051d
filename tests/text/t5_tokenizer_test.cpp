#include "text/t5_tokenizer.h"

#include <cmath>
#include <functional>
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

SpieceModel small_model() {
  SpieceModel model;
  model.source = "in a.gguf";
  model.pieces = {"<pad>", "</s>", "<unk>", "▁", "a", "b", "▁ab", "é"};
  model.scores = {0, 0, 0, -1, -2, -2.5f, -6, -4};
  model.types.assign(model.pieces.size(), PieceType::kNormal);
  model.types[0] = model.types[1] = PieceType::kControl;
  model.types[2] = PieceType::kUnknown;
  return model;
}

TEST(T5Tokenizer, AgreesWithTheLibrary) {
  const auto tokenizer = t5_tokenizer();
  for (const auto& item : test::read_text_vectors("t5.json").cases) {
    SCOPED_TRACE(item.name);
    EXPECT_EQ(tokenizer->encode(item.text).ids, item.ids);
    if (!item.framed.empty()) {
      EXPECT_EQ(tokenizer->frame(item.text, static_cast<Dim>(item.framed.size())), item.framed);
    }
  }
  EXPECT_EQ(tokenizer->rows(), 32000);
  EXPECT_EQ(tokenizer->source(), "compiled in");
}

class SpieceVectors : public testing::TestWithParam<std::string> {};

TEST_P(SpieceVectors, AgreesWithTheLibrary) {
  const auto vectors = test::read_text_vectors(GetParam() + ".json");
  const auto bytes = test::read_text_data(GetParam() + ".spiece.model");
  const auto tokenizer = t5_tokenizer(read_spiece_model(bytes, "in a.model"));
  for (const auto& item : vectors.cases) {
    SCOPED_TRACE(item.text);
    EXPECT_EQ(tokenizer->encode(item.text).ids, item.ids);
  }
  EXPECT_THAT(tokenizer->frame("", 3), ElementsAre(vectors.eos, vectors.pad, vectors.pad));
}

INSTANTIATE_TEST_SUITE_P(Models, SpieceVectors, testing::Values("spiece_rules", "spiece_spaces"));

TEST(T5Tokenizer, SpellsPiecesAsTheVocabularyDoes) {
  const auto tokenizer = t5_tokenizer();
  EXPECT_THAT(tokenizer->encode("a cat").pieces, ElementsAre("▁", "a", "▁cat"));
  EXPECT_THAT(tokenizer->encode("中文").pieces, ElementsAre("▁", "<unk>"));
  EXPECT_THAT(tokenizer->encode("</s>").pieces, ElementsAre("▁", "<unk>", "/", "s", ">"));
}

TEST(T5Tokenizer, FrameIsNeverCut) {
  const auto tokenizer = t5_tokenizer();
  EXPECT_THAT(tokenizer->frame("a cat", 6), ElementsAre(3, 9, 1712, 1, 0, 0));
  EXPECT_THAT(tokenizer->frame("a cat", 2), ElementsAre(3, 9, 1712, 1));
  EXPECT_THAT(tokenizer->frame("", 0), ElementsAre(1));
}

TEST(T5Tokenizer, OnlyNormalPiecesMatchText) {
  SpieceModel model = small_model();
  EXPECT_THAT(t5_tokenizer(model)->encode("ab é").pieces, ElementsAre("▁", "a", "b", "▁", "é"));
  model.types[5] = PieceType::kUserDefined;
  EXPECT_THAT(t5_tokenizer(model)->encode("ab b").pieces, ElementsAre("▁ab", "▁", "<unk>"));
}

TEST(T5Tokenizer, AnyBytesAreText) {
  const auto tokenizer = t5_tokenizer();
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string text(random() % 40, '\0');
    for (char& byte : text) byte = static_cast<char>(random());
    EXPECT_THAT(tokenizer->encode(text).ids,
                Each(testing::AllOf(testing::Ge(2), testing::Lt(32000))));
  }
}

// A quadratic step anywhere would need hours.
TEST(T5Tokenizer, LongWordsAreNoTrouble) {
  const auto tokenizer = t5_tokenizer();
  constexpr size_t kLength = 1'000'000;
  EXPECT_EQ(tokenizer->encode(std::string(kLength, 'a')).ids.size(), kLength + 1);
  EXPECT_EQ(tokenizer->encode(std::string(kLength, '?')).ids.size(), 333335u);
  EXPECT_THAT(tokenizer->encode(std::string(kLength, ' ')).ids, IsEmpty());
  EXPECT_THAT(tokenizer->encode(std::string(kLength, '\xFF')).ids, IsEmpty());
  EXPECT_THAT(tokenizer->encode(std::string(kLength, '{')).ids, ElementsAre(3, 2));
}

struct Damage {
  const char* name;
  std::function<void(SpieceModel&)> apply;
  const char* sentence;
};

class DamagedModel : public testing::TestWithParam<Damage> {};

TEST_P(DamagedModel, IsRefused) {
  SpieceModel model = small_model();
  GetParam().apply(model);
  try {
    t5_tokenizer(model);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadFile);
    EXPECT_EQ(error.what(), std::string("tokenizer in a.gguf: ") + GetParam().sentence);
  }
}

const Damage kDamages[] = {
    {"empty", [](SpieceModel& m) { m.pieces.clear(), m.scores.clear(), m.types.clear(); },
     "has no pieces"},
    {"scores", [](SpieceModel& m) { m.scores.pop_back(); }, "has 8 pieces, but 7 scores"},
    {"types", [](SpieceModel& m) { m.types.push_back(PieceType::kNormal); },
     "has 8 pieces, but 9 types"},
    {"eos", [](SpieceModel& m) { m.eos = -1; },
     "eos id is -1, but ids must be below the number of pieces, 8"},
    {"pad", [](SpieceModel& m) { m.pad = 8; },
     "pad id is 8, but ids must be below the number of pieces, 8"},
    {"no_unknown", [](SpieceModel& m) { m.types[2] = PieceType::kControl; },
     "pieces have none of type 2 (unknown), but one is needed"},
    {"two_unknown", [](SpieceModel& m) { m.types[5] = PieceType::kUnknown; },
     "pieces[5].type is 2 (unknown), but so is that of 2"},
    {"type", [](SpieceModel& m) { m.types[4] = PieceType{7}; },
     "pieces[4].type is 7, but types are 1 to 6"},
    {"byte", [](SpieceModel& m) { m.types[4] = PieceType::kByte; },
     "pieces[4].type is 6 (byte), but unknown characters must be <unk>"},
    {"no_text", [](SpieceModel& m) { m.pieces[4].clear(); },
     "pieces[4] has 0 bytes, but it needs 1 to 256"},
    {"long_text", [](SpieceModel& m) { m.pieces[4].assign(257, 'x'); },
     "pieces[4] has 257 bytes, but it needs 1 to 256"},
    {"not_utf8", [](SpieceModel& m) { m.pieces[4] = "\xC3"; }, "pieces[4] is not valid UTF-8"},
    {"twice", [](SpieceModel& m) { m.pieces[5] = "a"; }, "pieces[5] is there twice: a"},
    {"nan", [](SpieceModel& m) { m.scores[4] = NAN; }, "pieces[4].score is nan"},
    {"infinite", [](SpieceModel& m) { m.scores[4] = -INFINITY; }, "pieces[4].score is -inf"},
};

INSTANTIATE_TEST_SUITE_P(Table, DamagedModel, testing::ValuesIn(kDamages),
                         [](const auto& item) { return item.param.name; });

}  // namespace
}  // namespace tintype
