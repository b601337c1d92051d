#include "text/clip_tokenizer.h"

#include <algorithm>

#include "base/error.h"
#include "text/byte_pairs.h"
#include "text/unicode.h"
#include "text/vocabulary.h"
#include "text/word_pattern.h"

namespace tintype {
namespace {

// Possessive, because a word may be as long as the text and there is nothing to go back for.
std::string word_regex() {
  return R"('s|'t|'re|'ve|'m|'ll|'d|\p{L}++|\p{N}|[^\p{L}\p{N})" +
         std::string(WordPattern::kSpaceClass) + "]++";
}

// The list without its first line, "#version: 0.2".
std::string_view merges() {
  const std::string_view text = clip_merges();
  return text.substr(text.find('\n') + 1);
}

class ClipTokenizer final : public Tokenizer {
 public:
  explicit ClipTokenizer(Dim rows)
      : pairs_(merges(), static_cast<size_t>(rows - kClipLeastRows), "</w>"),
        words_(word_regex()),
        bos_(static_cast<int32_t>(rows - 2)),
        eos_(static_cast<int32_t>(rows - 1)) {}

  Tokens encode(std::string_view text) const override {
    Tokens tokens{content(text), {}};
    for (const int32_t id : tokens.ids) tokens.pieces.push_back(pairs_.piece(id));
    return tokens;
  }

  std::vector<int32_t> frame(std::string_view text, Dim length) const override {
    check(length >= 2, ErrorCode::kUsage, "clip tokenizer: a frame of ", length,
          " ids has no room for BOS and EOS");
    std::vector<int32_t> ids = content(text);
    ids.resize(std::min(ids.size(), static_cast<size_t>(length - 2)));
    ids.insert(ids.begin(), bos_);
    ids.push_back(eos_);
    ids.resize(static_cast<size_t>(length), eos_);
    return ids;
  }

  Dim rows() const override { return eos_ + 1; }
  const std::string& source() const override { return source_; }

 private:
  std::vector<int32_t> content(std::string_view text) const {
    const std::string normal = encode_utf8(to_lower(to_nfc(decode_utf8(text))));
    std::vector<int32_t> ids;
    for (const std::string_view word : words_.words(normal)) pairs_.encode(word, ids);
    return ids;
  }

  std::string source_ = "compiled in";
  BytePairs pairs_;
  WordPattern words_;
  int32_t bos_, eos_;
};

}  // namespace

std::unique_ptr<Tokenizer> clip_tokenizer(Dim rows) {
  check(rows >= kClipLeastRows, ErrorCode::kBadFile, "clip: token_embedding has ", rows,
        " rows, but CLIP's vocabulary needs at least ", kClipLeastRows);
  return std::make_unique<ClipTokenizer>(std::min(rows, kClipRows));
}

}  // namespace tintype
