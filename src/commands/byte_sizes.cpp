#include "commands/byte_sizes.h"

#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/error.h"

namespace tintype {
namespace {

constexpr std::string_view kLetters = "KMGT";

// The factor of "GiB", "gb", "G", "B" or nothing; 0 if it is none of them.
double unit_factor(std::string_view unit) {
  if (unit.ends_with('B') || unit.ends_with('b')) unit.remove_suffix(1);
  if (unit.empty()) return 1;
  const char letter = unit[0] >= 'a' ? static_cast<char>(unit[0] - 'a' + 'A') : unit[0];
  const size_t power = kLetters.find(letter);
  if (power == std::string_view::npos) return 0;
  unit.remove_prefix(1);
  if (unit != "" && unit != "i") return 0;
  return std::pow(unit.empty() ? 1000.0 : 1024.0, static_cast<double>(power + 1));
}

}  // namespace

uint64_t parse_bytes(std::string_view what, const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit = std::string_view(text).substr(static_cast<size_t>(end - text.data()));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const double bytes = number * unit_factor(unit);
  check(error == std::errc() && bytes >= 1 && bytes < 0x1p63, ErrorCode::kUsage, what, ": \"", text,
        "\" is not a number of bytes such as 6GiB or 500MB");
  return static_cast<uint64_t>(bytes);
}

std::string format_bytes(uint64_t bytes) {
  if (bytes < 1024) return concat_text(bytes, " B");
  auto value = static_cast<double>(bytes);
  size_t power = 0;
  while (value >= 1024 && power < kLetters.size()) {
    value /= 1024;
    ++power;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %ciB", value < 100 ? 1 : 0, value, kLetters[power - 1]);
  return text;
}

}  // namespace tintype
