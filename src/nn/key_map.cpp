#include "nn/key_map.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace tintype {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// What the holes of `pattern` stand for, if `text` fits it.
std::optional<std::vector<std::string_view>> matched(std::string_view pattern,
                                                     std::string_view text) {
  std::vector<std::string_view> holes;
  while (true) {
    const size_t hole = pattern.find_first_of("{*");
    if (hole == pattern.npos) return pattern == text ? std::optional(holes) : std::nullopt;
    if (text.substr(0, hole) != pattern.substr(0, hole)) return std::nullopt;
    text.remove_prefix(hole);
    if (pattern[hole] == '*') {
      holes.push_back(text);
      return holes;
    }
    pattern.remove_prefix(hole + 2);
    const auto digits =
        static_cast<size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
    if (digits == 0) return std::nullopt;
    holes.push_back(text.substr(0, digits));
    text.remove_prefix(digits);
  }
}

std::string filled(std::string_view pattern, const std::vector<std::string_view>& holes) {
  std::string out;
  for (const std::string_view text : holes) {
    const size_t hole = pattern.find_first_of("{*");
    if (hole == pattern.npos) break;
    out.append(pattern.substr(0, hole)).append(text);
    pattern.remove_prefix(hole + (pattern[hole] == '*' ? 1 : 2));
  }
  return out.append(pattern);
}

}  // namespace

std::vector<StoredRows> stored_rows(std::span<const KeyRule> rules, std::string_view module) {
  for (const KeyRule& rule : rules) {
    const auto holes = matched(rule.logical, module);
    if (!holes) continue;
    std::vector<StoredRows> out;
    for (const KeySource& source : rule.sources)
      out.push_back({filled(source.name, *holes), source.part, source.parts});
    return out;
  }
  return {{std::string(module)}};
}

}  // namespace tintype
