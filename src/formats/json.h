// Strict JSON for untrusted text: limited depth and size, no duplicate keys, only whole numbers
// that fit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tintype {

struct Json {
  enum class Kind { kNull, kBool, kWhole, kOtherNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  uint64_t whole = 0;               // kWhole: 0 and up; kBool: 0 or 1
  std::string text{};               // kString; kOtherNumber: its digits
  std::vector<std::string> keys{};  // kObject, in the text's order; items[i] belongs to keys[i]
  std::vector<Json> items{};        // kArray, kObject

  bool is(Kind k) const { return kind == k; }
  const Json* find(std::string_view key) const;  // null: no such key
};

// Throws kBadFile: "WHAT: is not valid JSON: …".
Json parse_json(std::string_view text, const std::string& what);

// `text` as a JSON string, quotes included.
std::string json_quote(std::string_view text);

}  // namespace tintype
