// Writes safetensors files.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "formats/weight_writer.h"

namespace tintype {

// The length and the JSON of a file that holds the entries one after the other; padded so that the
// data starts at a multiple of 64 bytes.
std::vector<std::byte> safetensors_header(std::span<const TensorEntry> entries,
                                          const std::map<std::string, std::string>& metadata);

WeightWriter write_safetensors(const std::string& path, std::span<const TensorEntry> entries,
                               const std::map<std::string, std::string>& metadata = {},
                               bool replace = true);

}  // namespace tintype
