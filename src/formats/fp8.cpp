// 8-bit floats, one byte a weight, with an f32 scale for the tensor, one for each row, or none.
//
//   E4M3   bit 7 sign, 6..3 exponent (bias 7),  2..0 fraction; 0x7f, 0xff NaN, no infinity, max 448
//   E5M2   bit 7 sign, 6..2 exponent (bias 15), 1..0 fraction; 0x7c infinity, max 57344
//   weight = value(code) * scale
//
// Rounding costs at most 1/16 (E4M3) or 1/8 (E5M2) of a normal value.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "formats/formats.h"
#include "formats/scaled_rows.h"

namespace tintype {
namespace {

struct SmallFloat {
  int fraction;  // bits
  int bias;
  float max;          // largest finite value
  uint8_t first_nan;  // codes from here to 0x7f are NaN
};
constexpr SmallFloat kE4M3{3, 7, 448.0f, 0x7f};
constexpr SmallFloat kE5M2{2, 15, 57344.0f, 0x7d};

constexpr float power_of_two(int exponent) {
  return std::bit_cast<float>(static_cast<uint32_t>(exponent + 127) << 23);
}

constexpr float value_of(unsigned code, SmallFloat type) {
  const unsigned size = code & 0x7f;
  const float sign = code & 0x80 ? -1.0f : 1.0f;
  if (size >= type.first_nan) return std::numeric_limits<float>::quiet_NaN();
  const int exponent = static_cast<int>(size >> type.fraction);
  const auto fraction = static_cast<float>(size & ((1u << type.fraction) - 1));
  const float unit = power_of_two(-type.fraction);
  if (exponent == 0) return sign * fraction * unit * power_of_two(1 - type.bias);
  const float value = (1.0f + fraction * unit) * power_of_two(exponent - type.bias);
  return sign * (value > type.max ? std::numeric_limits<float>::infinity() : value);
}

constexpr std::array<float, 256> table(SmallFloat type) {
  std::array<float, 256> values{};
  for (unsigned code = 0; code < 256; ++code) values[code] = value_of(code, type);
  return values;
}

constexpr std::array<float, 256> kE4M3Values = table(kE4M3), kE5M2Values = table(kE5M2);

uint8_t encode(float value, SmallFloat type) {
  const unsigned sign = std::signbit(value) ? 0x80 : 0;
  if (value != value) return static_cast<uint8_t>(sign | 0x7f);
  const float size = std::min(std::fabs(value), type.max);
  if (size < power_of_two(1 - type.bias)) {  // subnormal
    const float units = std::nearbyint(size * power_of_two(type.bias - 1 + type.fraction));
    return static_cast<uint8_t>(sign | static_cast<unsigned>(units));
  }
  const int drop = 23 - type.fraction;
  auto bits = std::bit_cast<uint32_t>(size);
  bits += (1u << (drop - 1)) - 1 + ((bits >> drop) & 1);  // ties to even
  const auto rebias = static_cast<unsigned>(127 - type.bias) << type.fraction;
  return static_cast<uint8_t>(sign | ((bits >> drop) - rebias));
}

}  // namespace

void Fp8Format::decode_rows(const Parameter& p, Dim first, Dim count, float* out) const {
  const Fp8View view = fp8_view(p);
  const Dim cols = p.cols();
  for (Dim row = first; row < first + count; ++row) {
    const uint8_t* codes = view.codes + row * cols;
    const float scale = view.scales ? view.scales[view.per_row ? row : 0] : 1.0f;
    for (Dim c = 0; c < cols; ++c) *out++ = values_[codes[c]] * scale;
  }
}

Fp8View fp8_view(const Parameter& p) {
  return {.codes = reinterpret_cast<const uint8_t*>(p.parts[0].bytes.data()),
          .scales = scales(p),
          .per_row = has_row_scales(p),
          .values = static_cast<const Fp8Format*>(p.format)->values()};
}

uint8_t float_to_e4m3(float value) { return encode(value, kE4M3); }
uint8_t float_to_e5m2(float value) { return encode(value, kE5M2); }

constinit const Fp8Format kFp8E4M3("fp8_e4m3", kE4M3Values.data());
constinit const Fp8Format kFp8E5M2("fp8_e5m2", kE5M2Values.data());

}  // namespace tintype
