// The typed key-values of a GGUF header.
#pragma once

#include <string>

#include "formats/byte_reader.h"
#include "formats/weight_index.h"

namespace tintype {

// A string of at most `limit` bytes. `where` begins messages.
std::string_view read_gguf_string(ByteReader& in, uint64_t limit, const std::string& where);

// The number of a type, and a value of it.
MetaValue read_gguf_value(ByteReader& in, const std::string& where);

}  // namespace tintype
