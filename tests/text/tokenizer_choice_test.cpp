#include "text/tokenizer_choice.h"

#include <filesystem>
#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/os.h"
#include "support/text_vectors.h"
#include "text/t5_tokenizer.h"

namespace tintype {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;

// A folder with weight files that have no weights.
class TokenizerChoice : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  void put(const std::string& name, std::span<const std::byte> bytes) {
    write_file((folder_ / name).string(), bytes);
  }

  WeightIndex weights(const std::string& name) {
    put(name, {});
    WeightIndex index;
    index.file = File::open((folder_ / name).string(), LoadMode::kRead);
    return index;
  }

  // What a GGUF file with the small model inside would say.
  WeightIndex gguf() {
    const SpieceModel model = read_spiece_model(spiece_, "");
    const auto* charsmap = reinterpret_cast<const uint8_t*>(model.charsmap.data());
    WeightIndex index = weights("a.gguf");
    auto& meta = index.metadata;
    meta["tokenizer.ggml.model"] = std::string("t5");
    meta["tokenizer.ggml.tokens"] = model.pieces;
    meta["tokenizer.ggml.scores"] = model.scores;
    std::vector<int64_t> types;
    for (const PieceType type : model.types) types.push_back(static_cast<int64_t>(type));
    meta["tokenizer.ggml.token_type"] = types;
    meta["tokenizer.ggml.precompiled_charsmap"] =
        std::vector<uint8_t>(charsmap, charsmap + model.charsmap.size());
    meta["tokenizer.ggml.eos_token_id"] = int64_t{1};
    meta["tokenizer.ggml.padding_token_id"] = int64_t{0};
    return index;
  }

  static void expect_small_model(const Tokenizer& tokenizer) {
    for (const auto& item : test::read_text_vectors("spiece_rules.json").cases)
      EXPECT_EQ(tokenizer.encode(item.text).ids, item.ids) << item.text;
  }

  fs::path folder_ = fs::path(testing::TempDir()) / "tokenizer_choice";
  std::vector<std::byte> spiece_ = test::read_text_data("spiece_rules.spiece.model");
};

TEST_F(TokenizerChoice, TakesWhatGgufCarries) {
  const WeightIndex index = gguf();
  const auto tokenizer = choose_t5_tokenizer(index, 160);
  EXPECT_EQ(tokenizer->source(), "in " + index.path());
  expect_small_model(*tokenizer);
}

TEST_F(TokenizerChoice, TakesTheModelInATensor) {
  WeightIndex index = weights("a.safetensors");
  index.others["spiece_model"] = {"U8", {static_cast<Dim>(spiece_.size())}, spiece_};
  const auto tokenizer = choose_t5_tokenizer(index, 160);
  EXPECT_EQ(tokenizer->source(), "in " + index.path());
  expect_small_model(*tokenizer);
}

TEST_F(TokenizerChoice, FindsTheModelBesideTheFile) {
  for (const std::string name :
       {"nano_t5_bf16.spiece.model", "nano_t5.spiece.model", "nano.spiece.model", "spiece.model"}) {
    SCOPED_TRACE(name);
    put(name, spiece_);
    const WeightIndex index = weights("nano_t5_bf16.safetensors");
    const auto tokenizer = choose_t5_tokenizer(index, 160);
    EXPECT_EQ(tokenizer->source(), "beside " + index.path() + " (" + name + ")");
    expect_small_model(*tokenizer);
    fs::remove(folder_ / name);
  }
}

TEST_F(TokenizerChoice, FallsBackToTheOwnVocabularyOfT5IfItFits) {
  const WeightIndex index = weights("t5xxl.safetensors");
  EXPECT_EQ(choose_t5_tokenizer(index, 32128)->source(), "compiled in");
  EXPECT_EQ(choose_t5_tokenizer(index, 32100)->source(), "compiled in");
  for (const Dim rows : {384, 31999, 32129, 256384}) {
    try {
      choose_t5_tokenizer(index, rows);
      FAIL() << rows << " rows were accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadFile);
      EXPECT_THAT(error.what(), HasSubstr("has " + std::to_string(rows) + " rows"));
    }
  }
}

TEST_F(TokenizerChoice, RefusesMorePiecesThanRows) {
  const WeightIndex index = gguf();
  try {
    choose_t5_tokenizer(index, 159);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(),
              "tokenizer in " + index.path() + ": has 160 pieces, but the embedding has 159 rows");
  }
}

TEST_F(TokenizerChoice, RefusesMetadataThatIsNoModel) {
  const std::pair<std::function<void(WeightIndex&)>, const char*> damages[] = {
      {[](WeightIndex& w) { w.metadata["tokenizer.ggml.model"] = std::string("llama"); },
       ": tokenizer.ggml.model is llama, but a T5 encoder needs t5"},
      {[](WeightIndex& w) { w.metadata.erase("tokenizer.ggml.scores"); },
       ": tokenizer.ggml.scores is missing, but tokenizer.ggml.tokens needs it"},
      {[](WeightIndex& w) { w.metadata["tokenizer.ggml.scores"] = std::vector<uint8_t>(160); },
       ": tokenizer.ggml.scores has the wrong type"},
      {[](WeightIndex& w) { w.metadata["tokenizer.ggml.tokens"] = std::string("a"); },
       ": tokenizer.ggml.tokens has the wrong type"},
      {[](WeightIndex& w) {
         w.metadata["tokenizer.ggml.token_type"] = std::vector<int64_t>{1L << 32};
       },
       ": tokenizer.ggml.token_type holds 4294967296, but it needs 32-bit numbers"},
      {[](WeightIndex& w) { w.metadata["tokenizer.ggml.add_space_prefix"] = int64_t{1}; },
       ": tokenizer.ggml.add_space_prefix has the wrong type"},
      {[](WeightIndex& w) {
         w.others["spiece_model"] = {"I8", {1}, {}};
       },
       ": spiece_model is I8, but bytes are U8"},
  };
  for (const auto& [damage, sentence] : damages) {
    WeightIndex index = gguf();
    damage(index);
    try {
      choose_t5_tokenizer(index, 160);
      ADD_FAILURE() << "accepted; should say" << sentence;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadFile);
      EXPECT_EQ(error.what(), index.path() + sentence);
    }
  }
}

}  // namespace
}  // namespace tintype
