#include "tensor/dtype.h"

#include <cmath>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

namespace tintype {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

float value_of_bf16(uint16_t bits) {
  BF16 x;
  x.bits = bits;
  return static_cast<float>(x);
}

uint16_t bf16_of(float value) { return BF16(value).bits; }

// A type of 16 bits, of which the upper bit is the sign; `convert` rounds to it, `value` reads it.
// The value halfway between two neighbours must go to the even one, anything nearer to the nearer.
template <class Convert, class Value>
void expect_rounding_to_even(uint16_t largest, Convert convert, Value value) {
  for (uint16_t low = 0; low < largest; ++low) {
    const auto high = static_cast<uint16_t>(low + 1);
    const float a = value(low), b = value(high), middle = a + (b - a) / 2;
    const uint16_t even = low % 2 == 0 ? low : high;
    ASSERT_EQ(convert(a), low);
    ASSERT_EQ(convert(middle), even) << a << " " << b;
    ASSERT_EQ(convert(std::nextafter(middle, 0.0f)), low);
    ASSERT_EQ(convert(std::nextafter(middle, kInfinity)), high);
    ASSERT_EQ(convert(-middle), even | 0x8000);
  }
  ASSERT_EQ(convert(value(largest)), largest);
}

TEST(BF16, RoundsToNearestTiesToEven) { expect_rounding_to_even(0x7f7f, bf16_of, value_of_bf16); }

TEST(BF16, OverflowsToInfinity) {
  EXPECT_EQ(bf16_of(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(bf16_of(-kInfinity), 0xff80);
}

TEST(BF16, NaNStaysNaN) {
  for (uint32_t low = 1; low < 0x800000; low += 4097) {
    EXPECT_TRUE(std::isnan(static_cast<float>(BF16(std::bit_cast<float>(0x7f800000 | low)))));
  }
}

TEST(Half, RoundsToNearestTiesToEven) {
  expect_rounding_to_even(0x7bff, float_to_half, half_to_float);
}

TEST(Half, MeansWhatTheStandardSays) {
  for (int exponent = 0; exponent < 31; ++exponent) {
    for (int fraction = 0; fraction < 1024; ++fraction) {
      const float want = exponent == 0
                             ? std::ldexp(static_cast<float>(fraction), -24)
                             : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
      const auto bits = static_cast<uint16_t>(exponent << 10 | fraction);
      ASSERT_EQ(half_to_float(bits), want);
      ASSERT_EQ(half_to_float(bits | 0x8000), -want);
    }
  }
}

TEST(Half, HasInfinityAndNaN) {
  EXPECT_EQ(half_to_float(0x7c00), kInfinity);
  EXPECT_EQ(half_to_float(0xfc00), -kInfinity);
  EXPECT_TRUE(std::isnan(half_to_float(0x7c01)));
  EXPECT_EQ(float_to_half(kInfinity), 0x7c00);
  EXPECT_EQ(float_to_half(65519.996f), 0x7bff);
  EXPECT_EQ(float_to_half(65520.0f), 0x7c00);
  EXPECT_TRUE(std::isnan(half_to_float(float_to_half(kNaN))));
  EXPECT_EQ(float_to_half(-0.0f), 0x8000);
}

TEST(DType, HasNamesAndSizes) {
  std::ostringstream text;
  for (const DType t : {DType::kF32, DType::kBF16, DType::kI8, DType::kI32, DType::kI64}) {
    text << t << " " << size_of(t) << " ";
  }
  EXPECT_EQ(text.str(), "f32 4 bf16 2 i8 1 i32 4 i64 8 ");
  EXPECT_TRUE(is_float(DType::kBF16));
  EXPECT_FALSE(is_float(DType::kI32));
}

TEST(DType, DispatchNamesTheType) {
  const auto size = [](auto value) { return sizeof(value); };
  EXPECT_EQ(dispatch_float(DType::kF32, size), 4u);
  EXPECT_EQ(dispatch_float(DType::kBF16, size), 2u);
}

}  // namespace
}  // namespace tintype
