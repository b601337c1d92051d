// Numbers of bytes as people write and read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tintype {

// "6GiB", "500MB", "1.5 g", "4096": K, M, G, T are powers of 1000, Ki … of 1024. Throws kUsage
// naming `what`.
uint64_t parse_bytes(std::string_view what, const std::string& text);

// "5.9 MiB"
std::string format_bytes(uint64_t bytes);

}  // namespace tintype
