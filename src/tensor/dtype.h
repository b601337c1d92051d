// Element types of values that kernels compute with. There is no quantised member: how a weight is
// stored is its Format's business (tensor/parameter.h).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>

namespace tintype {

enum class DType : uint8_t { kF32, kBF16, kI8, kI32, kI64 };

std::string_view name(DType type);
constexpr size_t size_of(DType type) {
  constexpr size_t kSizes[] = {4, 2, 1, 4, 8};
  return kSizes[static_cast<size_t>(type)];
}
constexpr bool is_float(DType type) { return type == DType::kF32 || type == DType::kBF16; }
std::ostream& operator<<(std::ostream& out, DType type);

// bfloat16: the upper half of an f32. Conversion rounds to nearest, ties to even; a NaN stays a
// (quiet) NaN.
struct BF16 {
  uint16_t bits = 0;

  BF16() = default;
  explicit BF16(float value) {
    const auto u = std::bit_cast<uint32_t>(value);
    bits = value != value ? static_cast<uint16_t>((u >> 16) | 0x40)
                          : static_cast<uint16_t>((u + 0x7fff + ((u >> 16) & 1)) >> 16);
  }
  explicit operator float() const { return std::bit_cast<float>(uint32_t{bits} << 16); }
};

// IEEE half precision, only ever read from or written to files.
float half_to_float(uint16_t bits);
uint16_t float_to_half(float value);  // nearest, ties to even

template <class T>
inline constexpr DType kDTypeOf = DType::kF32;
template <>
inline constexpr DType kDTypeOf<BF16> = DType::kBF16;
template <>
inline constexpr DType kDTypeOf<int8_t> = DType::kI8;
template <>
inline constexpr DType kDTypeOf<int32_t> = DType::kI32;
template <>
inline constexpr DType kDTypeOf<int64_t> = DType::kI64;

// Calls f(T{}) with the C++ type of a float dtype.
template <class F>
decltype(auto) dispatch_float(DType type, F&& f) {
  return type == DType::kBF16 ? f(BF16{}) : f(float{});
}

}  // namespace tintype
