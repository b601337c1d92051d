#include <iostream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/nearest_name.h"
#include "commands/commands.h"
#include "pipeline/components.h"
#include "text/clip_tokenizer.h"
#include "text/t5_tokenizer.h"

namespace tintype {
namespace {

std::unique_ptr<Tokenizer> compiled_t5(Dim rows) {
  auto tokenizer = t5_tokenizer();
  check(tokenizer->rows() <= rows, ErrorCode::kUsage, "--rows ", rows,
        ": the T5 vocabulary that is compiled in needs ", tokenizer->rows());
  return tokenizer;
}

std::unique_ptr<Tokenizer> compiled_clip(Dim rows) {
  check(rows >= kClipLeastRows, ErrorCode::kUsage, "--rows ", rows,
        ": CLIP's vocabulary needs at least ", kClipLeastRows);
  return clip_tokenizer(rows);
}

struct TokenizerKind {
  std::string_view name, family;
  Dim rows;  // of the public checkpoint
  std::unique_ptr<Tokenizer> (*compiled)(Dim rows);
};
constexpr TokenizerKind kKinds[] = {{"clip", "clip_l", kClipRows, compiled_clip},
                                    {"t5", "t5xxl", 32128, compiled_t5}};

// The tokenizer that generate would use with this file's encoder.
std::unique_ptr<Tokenizer> tokenizer_of(const std::string& path, const TokenizerKind& kind) {
  const std::shared_ptr<const WeightIndex> index = read_weights(path);
  for (const Component& component : detect(index))
    if (component.text != nullptr && component.text->name == kind.family)
      return component.text->tokenizer(
          *index, load_text_encoder(component, /*strict=*/false).model->rows());
  fail(ErrorCode::kUsage, path, ": has no ", kind.family, " text encoder");
}

class TokenizeCommand final : public Command {
 public:
  void declare(Options& options, Settings&) override {
    options.group("Text");
    options.add("WHAT", kind_, "clip|t5", "whose tokenizer");
    options.add("TEXT", text_, "TEXT", "- reads it from standard input");
    options.add("--rows", rows_, "N", "rows of the encoder's token table");
    options.add("--from", from_, "FILE", "use the tokenizer that goes with this encoder");
  }

  void run(const Options& options, const Settings& settings) override {
    check(options.given("TEXT"), ErrorCode::kUsage, "tokenize: needs clip or t5, and a text");
    const TokenizerKind& kind =
        find_named("tokenizer", kind_, std::span<const TokenizerKind>(kKinds));
    const auto tokenizer = from_.empty()
                               ? kind.compiled(options.given("--rows") ? rows_ : kind.rows)
                               : tokenizer_of(from_, kind);
    const Tokens tokens = tokenizer->encode(
        text_ == "-" ? std::string(std::istreambuf_iterator<char>(std::cin), {}) : text_);
    if (settings.json) {
      const nlohmann::ordered_json line = {{"ids", tokens.ids}, {"pieces", tokens.pieces}};
      std::cout << line.dump() << "\n";
    } else {
      for (size_t i = 0; i < tokens.ids.size(); ++i)
        std::cout << tokens.ids[i] << "\t" << tokens.pieces[i] << "\n";
    }
  }

 private:
  std::string kind_, text_, from_;
  int rows_ = 0;
};

}  // namespace

const CommandEntry kTokenizeCommand{"tokenize", "ids and pieces of a text",
                                    "  tintype tokenize t5 \"a red star\"\n"
                                    "  tintype tokenize clip --rows 4096 --json - < prompt.txt\n",
                                    make_command<TokenizeCommand>};

}  // namespace tintype
