#include "text/spiece_model.h"

#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/protobuf_writer.h"
#include "support/text_vectors.h"
#include "text/t5_tokenizer.h"

namespace tintype {
namespace {

using namespace std::string_literals;
using test::ProtobufWriter;
using testing::ElementsAre;

std::string piece(const std::string& text, float score, int type) {
  return ProtobufWriter()
      .text(1, text)
      .real(2, score)
      .number(3, static_cast<uint64_t>(type))
      .text();
}

TEST(SpieceModel, ReadsEveryFieldThatItKnows) {
  const std::string trainer =
      ProtobufWriter().number(3, 1).number(40, 2).number(42, 5).number(43, 6).text();
  const std::string normalizer =
      ProtobufWriter().text(1, "rules").text(2, "xyz").number(3, 0).number(4, 0).text();
  const auto bytes = ProtobufWriter()
                         .text(1, piece("<unk>", 0, 2))
                         .text(1, ProtobufWriter().text(1, "▁a").real(2, -1.5f).text())
                         .text(2, trainer)
                         .text(3, normalizer)
                         .text(4, "self test data")
                         .number(99, 7)
                         .bytes();
  const SpieceModel model = read_spiece_model(bytes, "in a.model");
  EXPECT_EQ(model.source, "in a.model");
  EXPECT_THAT(model.pieces, ElementsAre("<unk>", "▁a"));
  EXPECT_THAT(model.scores, ElementsAre(0, -1.5f));
  EXPECT_THAT(model.types, ElementsAre(PieceType::kUnknown, PieceType::kNormal));
  EXPECT_EQ(model.charsmap.size(), 3u);
  EXPECT_EQ(model.eos, 5);
  EXPECT_EQ(model.pad, 6);
  EXPECT_FALSE(model.add_space_prefix);
  EXPECT_FALSE(model.remove_extra_spaces);
}

struct Damage {
  const char* name;
  std::string bytes;
  const char* sentence;
};

class DamagedProtobuf : public testing::TestWithParam<Damage> {};

TEST_P(DamagedProtobuf, IsRefused) {
  const auto bytes = ProtobufWriter().text(1, piece("a", 0, 1)).raw(GetParam().bytes).bytes();
  try {
    read_spiece_model(bytes, "in a.model");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadFile);
    EXPECT_EQ(error.what(), "tokenizer in a.model: "s + GetParam().sentence);
  }
}

std::string in_trainer(const ProtobufWriter& spec) {
  return ProtobufWriter().text(2, spec.text()).text();
}
std::string in_normalizer(const ProtobufWriter& spec) {
  return ProtobufWriter().text(3, spec.text()).text();
}

const Damage kDamages[] = {
    {"cut_key", "\x80", "model has a field of 1 bytes, but only 0 are left"},
    {"cut_length", "\x0A\x7F", "model has a field of 127 bytes, but only 0 are left"},
    {"huge_length", "\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01",
     "model has a field of 18446744073709551615 bytes, but only 0 are left"},
    {"endless_number", std::string(11, '\xFF'), "model has a number of more than 10 bytes"},
    {"group", "\x3B", "model has field 7 of unknown wire type 3"},
    {"cut_fixed64", "\x39\x01\x02", "model has a field of 8 bytes, but only 2 are left"},
    {"cut_fixed32", "\x3D\x01\x02", "model has a field of 4 bytes, but only 2 are left"},
    {"piece_is_number", ProtobufWriter().number(1, 5).text(),
     "model.pieces is stored as wire type 0, but it needs 2"},
    {"score_is_number", ProtobufWriter().text(1, ProtobufWriter().number(2, 5).text()).text(),
     "pieces[1].score is stored as wire type 0, but it needs 5"},
    {"cut_piece", ProtobufWriter().text(1, "\x0A\x05"s + "abc").text(),
     "pieces[1] has a field of 5 bytes, but only 3 are left"},
    {"bpe", in_trainer(ProtobufWriter().number(3, 2)),
     "trainer_spec.model_type is 2, but only 1 (unigram) can be used here"},
    {"suffix", in_trainer(ProtobufWriter().number(24, 1)),
     "trainer_spec.treat_whitespace_as_suffix is set, but spaces must lead a word"},
    {"byte_fallback", in_trainer(ProtobufWriter().number(35, 1)),
     "trainer_spec.byte_fallback is set, but unknown characters must be <unk>"},
    {"no_escape", in_normalizer(ProtobufWriter().number(5, 0)),
     "normalizer_spec.escape_whitespaces is not set, but pieces must spell a space as U+2581"},
};

INSTANTIATE_TEST_SUITE_P(Table, DamagedProtobuf, testing::ValuesIn(kDamages),
                         [](const auto& item) { return item.param.name; });

// Reads and uses the bytes as far as they go; the only way out is an Error about the file.
void read_and_encode(std::span<const std::byte> bytes) {
  try {
    const auto tokenizer = t5_tokenizer(read_spiece_model(bytes, "in a.model"));
    tokenizer->encode("ABCA ﬁ cafe\u0301\u3000 \u732b star");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadFile) << error.what();
  }
}

TEST(SpieceModel, SurvivesEveryTruncation) {
  const auto bytes = test::read_text_data("spiece_rules.spiece.model");
  for (size_t size = 0; size < bytes.size(); ++size) read_and_encode(std::span(bytes).first(size));
}

TEST(SpieceModel, SurvivesDamagedBytes) {
  const auto intact = test::read_text_data("spiece_rules.spiece.model");
  std::mt19937 random(1);
  for (int round = 0; round < 5000; ++round) {
    auto bytes = intact;
    for (int i = 0; i < 4; ++i) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    read_and_encode(bytes);
  }
}

}  // namespace
}  // namespace tintype
