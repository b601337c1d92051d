// Texts with the ids that other libraries give them: tests/golden/text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tintype::test {

struct TextVector {
  std::string name;  // or the text itself
  std::string text;  // may be ill-formed UTF-8
  std::vector<int32_t> ids;
  std::vector<int32_t> framed;       // empty if the file has none
  std::optional<int32_t> frame_pad;  // where it isn't the usual one
};

struct TextVectors {
  int32_t rows = 0, eos = 0, pad = 0;  // 0 where the file does not say
  std::vector<TextVector> cases;
};

TextVectors read_text_vectors(const std::string& name);

// Bytes of tests/golden/text/NAME.
std::vector<std::byte> read_text_data(const std::string& name);

}  // namespace tintype::test
