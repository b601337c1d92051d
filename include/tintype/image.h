// A finished picture and what is written into its file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tintype {

struct Pixels {
  int width = 0, height = 0;
  std::vector<uint8_t> rgb;  // row by row, 3 bytes a pixel
};

// A text beside the pixels: key (1..79 Latin-1 characters), UTF-8 text.
struct TextChunk {
  std::string key, text;
  bool operator==(const TextChunk&) const = default;
};

}  // namespace tintype
