#include "commands/numbers.h"

#include <charconv>
#include <cmath>

namespace tintype {
namespace {

template <class T>
bool parse_whole(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

bool parse_number(std::string_view text, int& value) { return parse_whole(text, value); }
bool parse_number(std::string_view text, int64_t& value) { return parse_whole(text, value); }
bool parse_number(std::string_view text, uint64_t& value) { return parse_whole(text, value); }
bool parse_number(std::string_view text, double& value) {
  return parse_whole(text, value) && std::isfinite(value);
}

}  // namespace tintype
