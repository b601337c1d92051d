// Splits text into words by a regular expression.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tintype {

// A PCRE2 pattern over UTF-8. Inside it \p{L} and \p{N} are general categories; \s is ASCII only,
// because PCRE2's Unicode \s also takes U+180E: write kSpaceClass instead.
class WordPattern {
 public:
  // Unicode's White_Space, for use inside a character class.
  static constexpr std::string_view kSpaceClass =
      R"(\t-\r\x20\x85\xa0\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";

  explicit WordPattern(const std::string& pattern);
  ~WordPattern();

  // All matches, left to right; what lies between them is dropped. `text` must be well-formed.
  std::vector<std::string_view> words(std::string_view text) const;

 private:
  struct Code;
  std::unique_ptr<Code> code_;
};

}  // namespace tintype
