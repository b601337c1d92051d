// SHA-256 (FIPS 180-4).
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tintype {

// The digest as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::span<const std::byte> bytes);

}  // namespace tintype
