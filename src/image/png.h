// PNG files in memory: 8-bit RGB with text chunks.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tintype/image.h"

namespace tintype {

struct Png {
  Pixels pixels;
  std::vector<TextChunk> texts;
};

// The same arguments always give the same bytes. A text that Latin-1 can hold becomes a tEXt
// chunk, any other an iTXt chunk. Throws kUsage where a key breaks PNG's rules for keywords.
std::vector<std::byte> encode_png(const Pixels& pixels, const std::vector<TextChunk>& texts = {});

// Reads any PNG, whatever its colour type; an alpha channel is dropped. `name` appears in messages.
// Throws kBadFile where the file is not a PNG, is damaged, or is larger than we accept.
Png decode_png(std::span<const std::byte> bytes, const std::string& name);

}  // namespace tintype
