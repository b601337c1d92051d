#include "tensor/dtype.h"

#include <cmath>
#include <ostream>

namespace tintype {

std::string_view name(DType type) {
  constexpr std::string_view kNames[] = {"f32", "bf16", "i8", "i32", "i64"};
  return kNames[static_cast<size_t>(type)];
}

std::ostream& operator<<(std::ostream& out, DType type) { return out << name(type); }

float half_to_float(uint16_t bits) {
  const uint32_t sign = uint32_t{bits & 0x8000u} << 16;
  const uint32_t exponent = (bits >> 10) & 31u, fraction = bits & 1023u;
  if (exponent == 0) {  // zero or subnormal: fraction * 2^-24
    const float value = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | sign);
  }
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

uint16_t float_to_half(float value) {
  const auto u = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((u >> 16) & 0x8000u);
  const float size = std::fabs(value);
  if (value != value) return static_cast<uint16_t>(sign | 0x7e00u);
  if (size >= 65520.0f) return static_cast<uint16_t>(sign | 0x7c00u);
  if (size < 0x1p-14f) {  // subnormal: the addition rounds to a multiple of 2^-24
    const float sum = size + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(sum) - 0x3f000000u));
  }
  const uint32_t a = std::bit_cast<uint32_t>(size) - 0x38000000u;
  return static_cast<uint16_t>(sign | ((a + 0xfffu + ((a >> 13) & 1)) >> 13));
}

}  // namespace tintype
