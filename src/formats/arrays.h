// Plain tensors in safetensors files: what `tintype forward` reads and writes.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/os.h"
#include "tensor/array.h"

namespace tintype {

// The F32, I64 and I32 tensors of a safetensors file. Throws kUsage naming the tensor for any other
// type, kBadFile for a damaged file.
NamedArrays read_arrays(const std::string& path);
NamedArrays parse_arrays(const File& file);

// A safetensors file as bytes.
std::vector<std::byte> write_arrays(const NamedArrays& arrays,
                                    const std::map<std::string, std::string>& metadata = {});

}  // namespace tintype
