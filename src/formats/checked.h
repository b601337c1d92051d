// Checks that every container makes on what an untrusted file says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tensor/shape.h"

namespace tintype {

inline constexpr uint64_t kMaxDim = uint64_t{1} << 48;   // elements along one axis
inline constexpr uint64_t kMaxFile = uint64_t{1} << 60;  // bytes

std::optional<uint64_t> checked_multiply(uint64_t a, uint64_t b);

// Bytes of a tensor whose `values` consecutive elements take `bytes`; empty if that exceeds
// kMaxFile. The last axis is a multiple of `values`.
std::optional<uint64_t> checked_bytes(const Shape& shape, uint64_t values, uint64_t bytes);

// Tensor names appear in messages and reports: not empty, not endless, no control characters.
void check_name(std::string_view name, const std::string& path);

// Text of a file as it may appear in a message: its beginning, without control characters.
std::string excerpt(std::string_view text);

// "PATH: has 10 of 20 bytes (50 %) …; TENSOR is the first one cut"
[[noreturn]] void fail_truncated(const std::string& path, std::string_view tensor, uint64_t has,
                                 uint64_t needs);

}  // namespace tintype
