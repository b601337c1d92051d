// The safetensors container: u64 header size, JSON header, tensor data without holes.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/os.h"
#include "formats/weight_index.h"

namespace tintype {

struct Safetensors {
  std::map<std::string, RawTensor, std::less<>> tensors;
  std::map<std::string, std::string, std::less<>> metadata;
  std::span<const std::byte> header;  // everything before the tensor data
};

// True if the file begins like a safetensors file, whole or not.
bool looks_like_safetensors(std::span<const std::byte> bytes);

// Checks every number in the header; any byte range that is broken, shared, left over or missing
// refuses the whole file with kBadFile.
Safetensors parse_safetensors(const File& file);

// Bytes of one element; empty for a type name that safetensors does not have.
std::optional<size_t> safetensors_type_size(std::string_view dtype);

}  // namespace tintype
