// Writes GGUF files, version 3.
#pragma once

#include <map>
#include <span>
#include <string>

#include "formats/weight_index.h"
#include "formats/weight_writer.h"

namespace tintype {

// An entry's type is one of block_formats(). Whole numbers are written as u32 where they fit, else
// as i64; real numbers as f32; arrays of whole numbers as i32, those of bytes as u8.
WeightWriter write_gguf(const std::string& path, std::span<const TensorEntry> entries,
                        const std::map<std::string, MetaValue>& metadata = {}, bool replace = true);

}  // namespace tintype
