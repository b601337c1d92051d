// The GGUF container, versions 2 and 3: typed key-values, tensor infos, aligned tensor data.
#pragma once

#include "formats/weight_index.h"

namespace tintype {

bool looks_like_gguf(std::span<const std::byte> bytes);

// Fills index.parameters and index.metadata from index.file, which begins with "GGUF". Checks every
// number; any byte range that is broken, shared, left over or missing refuses the whole file with
// kBadFile. Returns the bytes before the tensor data.
std::span<const std::byte> parse_gguf(WeightIndex& index);

// "Q5_K" for 13; empty for a number that GGUF does not define.
std::string_view gguf_type_name(uint32_t type);

}  // namespace tintype
