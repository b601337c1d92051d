#include "text/word_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/error.h"

namespace tintype {
namespace {

struct Freed {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
};

std::string message_of(int error) {
  PCRE2_UCHAR text[256] = {};
  pcre2_get_error_message(error, text, sizeof text);
  return reinterpret_cast<const char*>(text);
}

PCRE2_SPTR code_units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

}  // namespace

struct WordPattern::Code {
  std::unique_ptr<pcre2_code, Freed> compiled;
};

WordPattern::WordPattern(const std::string& pattern) : code_(std::make_unique<Code>()) {
  int error = 0;
  PCRE2_SIZE at = 0;
  code_->compiled.reset(
      pcre2_compile(code_units(pattern), pattern.size(), PCRE2_UTF, &error, &at, nullptr));
  if (!code_->compiled)
    fail(ErrorCode::kFailed, "word pattern: ", message_of(error), " at byte ", at, " of ", pattern);
}

WordPattern::~WordPattern() = default;

std::vector<std::string_view> WordPattern::words(std::string_view text) const {
  const pcre2_code* code = code_->compiled.get();
  const std::unique_ptr<pcre2_match_data, Freed> match(
      pcre2_match_data_create_from_pattern(code, nullptr));
  const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(match.get());

  std::vector<std::string_view> words;
  for (size_t at = 0; at < text.size(); at = bounds[1]) {
    // Without NO_UTF_CHECK each call would validate all the rest: quadratic in the text.
    const int found = pcre2_match(code, code_units(text), text.size(), at, PCRE2_NO_UTF_CHECK,
                                  match.get(), nullptr);
    if (found == PCRE2_ERROR_NOMATCH) break;
    if (found <= 0)
      fail(ErrorCode::kMachine, "word pattern: ", message_of(found), " at byte ", at, " of ",
           text.size());
    TINTYPE_ASSERT(bounds[1] > at);  // a pattern of ours never matches the empty string
    words.push_back(text.substr(bounds[0], bounds[1] - bounds[0]));
  }
  return words;
}

}  // namespace tintype
