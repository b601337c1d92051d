// fp8 and INT8 weights, scales and rotation: every code, published vectors, conventions.
#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/formats.h"
#include "formats/hadamard.h"
#include "support/encodings.h"

namespace tintype::test {
namespace {

struct SmallFloat {
  const Fp8Format* format;
  uint8_t (*encode)(float);
  int fraction, bias;
  unsigned last_finite;
};
constexpr SmallFloat kTypes[] = {{&kFp8E4M3, float_to_e4m3, 3, 7, 0x7e},
                                 {&kFp8E5M2, float_to_e5m2, 2, 15, 0x7b}};

TEST(Fp8, EveryCodeDecodesByItsDefinitionAndEncodesBack) {
  for (const SmallFloat& type : kTypes)
    for (unsigned code = 0; code < 256; ++code) {
      SCOPED_TRACE(code);
      const float got = type.format->values()[code];
      const unsigned size = code & 127, exponent = size >> type.fraction;
      if (size > type.last_finite) {
        EXPECT_FALSE(std::isfinite(got));
        continue;
      }
      const float unit = std::ldexp(1.0f, -type.fraction);
      const float fraction = static_cast<float>(size % (1u << type.fraction)) * unit;
      const float want = exponent == 0
                             ? std::ldexp(fraction, 1 - type.bias)
                             : std::ldexp(1 + fraction, static_cast<int>(exponent) - type.bias);
      EXPECT_EQ(got, code & 128 ? -want : want);
      EXPECT_EQ(type.encode(got), code);
    }
  EXPECT_TRUE(std::isinf(kFp8E5M2.values()[0x7c]));
  EXPECT_TRUE(std::isnan(kFp8E4M3.values()[0x7f]) && std::isnan(kFp8E5M2.values()[0xff]));
}

// Every half as input: the nearest code, of two equally near ones the even.
TEST(Fp8, RoundsToNearestTiesToEven) {
  for (const SmallFloat& type : kTypes)
    for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
      const float x = half_to_float(static_cast<uint16_t>(bits));
      const float* values = type.format->values();
      unsigned best = 0;
      for (unsigned code = 1; code <= type.last_finite; ++code) {
        const float gain = std::fabs(values[best] - x) - std::fabs(values[code] - x);
        if (gain > 0 || (gain == 0 && code % 2 == 0)) best = code;
      }
      ASSERT_EQ(type.encode(x), best) << x;
      ASSERT_EQ(type.encode(-x), best | 128) << x;
    }
  EXPECT_EQ(float_to_e4m3(1e30f), 0x7e);
  EXPECT_EQ(float_to_e5m2(-1e30f), 0xfb);
  EXPECT_EQ(float_to_e4m3(NAN) & 127, 127);
}

TEST(Fp8, Examples) {
  const struct {
    float value;
    uint8_t code;
  } rows[] = {{1.0f, 0x38},     {448.0f, 0x7e}, {-448.0f, 0xfe}, {0x1p-9f, 0x01}, {0x1p-10f, 0x00},
              {0x3p-10f, 0x02}, {17.0f, 0x58},  {19.0f, 0x5a},   {0.3f, 0x2a},    {0.003f, 0x02}};
  for (const auto& row : rows) EXPECT_EQ(float_to_e4m3(row.value), row.code) << row.value;
  EXPECT_EQ(float_to_e5m2(1.0f), 0x3c);
  EXPECT_EQ(float_to_e5m2(0.3f), 0x35);
}

std::vector<int> ints(const std::vector<std::byte>& bytes) {
  std::vector<int> out;
  for (const std::byte b : bytes) out.push_back(static_cast<int8_t>(b));
  return out;
}

std::vector<float> floats(const std::vector<std::byte>& bytes) {
  std::vector<float> out(bytes.size() / sizeof(float));
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

std::vector<std::vector<std::byte>> encode(const char* name, const Shape& shape,
                                           const std::vector<float>& values) {
  return test::find_encoding(name)->encode(shape, values);
}

TEST(Fp8, ScaledExample) {
  const auto parts = encode("fp8_scaled", {1, 4}, {0.5f, -1.25f, 0.003f, 2.0f});
  EXPECT_EQ(ints(parts[0]), (std::vector<int>{0x6e, 0xf9 - 256, 0x33, 0x7e}));
  EXPECT_FLOAT_EQ(floats(parts[1])[0], 0.0044642859f);
}

// A weight of 8-bit codes; `scales` is empty for none.
Parameter weight(const Format& format, const Shape& shape, std::span<const std::byte> codes,
                 const std::vector<float>& scales, Dim rotation = 0) {
  Parameter p{.name = "w",
              .format = &format,
              .shape = shape,
              .parts = {{codes, shape}},
              .rotation = rotation,
              .file = {}};
  const auto n = static_cast<Dim>(scales.size());
  if (n > 0) p.parts.push_back({std::as_bytes(std::span(scales)), n == 1 ? Shape{} : Shape{n}});
  return p;
}

void expect_near(const std::vector<float>& got, const std::vector<float>& want, float error) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], error) << i;
}

TEST(Int8, RowsAreScaledByTheirLargestWeight) {
  const auto parts = encode("int8", {2, 4}, {.10f, -.50f, .25f, 1.00f, .02f, .03f, -.04f, .01f});
  EXPECT_EQ(ints(parts[0]), (std::vector<int>{13, -64, 32, 127, 63, 95, -127, 32}));
  const auto scales = floats(parts[1]);
  expect_near(scales, {.0078740157f, .00031496063f}, 1e-9f);
  expect_near(decode(weight(kInt8, {2, 4}, parts[0], scales)),
              {.1023622f, -.503937f, .2519685f, 1.0f, .0198425f, .0299213f, -.04f, .0100787f},
              1e-6f);
}

TEST(Int8, TiesGoToEven) {
  EXPECT_EQ(ints(encode("int8", {1, 6}, {127, .5f, 1.5f, 2.5f, -.5f, -1.5f})[0]),
            (std::vector<int>{127, 0, 2, 2, 0, -2}));
}

TEST(Int8, ZeroRowsAreZero) {
  const auto parts = encode("int8", {2, 2}, {0, 0, 1, 1});
  EXPECT_EQ(ints(parts[0]), (std::vector<int>{0, 0, 127, 127}));
  EXPECT_EQ(floats(parts[1])[0], 1e-30f);
}

TEST(ConvRot, Example) {
  const auto parts = encode("convrot_int8", {2, 4}, {1, 0, 0, 0, .5f, -.5f, 2, .25f});
  EXPECT_EQ(ints(parts[0]), (std::vector<int>{127, 127, 127, -127, 68, -68, 127, 49}));
  const auto scales = floats(parts[1]);
  expect_near(scales, {.0039370079f, .012795276f}, 1e-9f);
  expect_near(decode(weight(kInt8, {2, 4}, parts[0], scales, 4)),
              {1, 0, 0, 0, .499016f, -.499016f, 1.996063f, .255906f}, 1e-6f);
}

TEST(ConvRot, WiderExample) {
  std::vector<float> w(16);
  for (int i = 0; i < 16; ++i) w[static_cast<size_t>(i)] = static_cast<float>(5 * i % 7 - 3) / 8;
  const auto parts = encode("convrot_int8", {1, 16}, w);
  EXPECT_EQ(ints(parts[0]), (std::vector<int>{67, 7, -52, -7, 37, -22, -82, -37, -97, 52, -7, 37,
                                              -22, 127, 67, -97}));
  EXPECT_FLOAT_EQ(floats(parts[1])[0], .0041830707f);
  expect_near(decode(weight(kInt8, {1, 16}, parts[0], floats(parts[1]), 16)), w, .00216f);
}

// One output, four inputs, a kernel of two positions: each position is rotated apart.
TEST(ConvRot, ConvolutionExample) {
  const std::vector<int8_t> codes = {40, 0, 24, 64, 56, 127, -8, -64};
  const std::vector<float> scale = {.015748031f};
  const Parameter p = weight(kInt8, {1, 4, 1, 2}, std::as_bytes(std::span(codes)), scale, 4);
  expect_near(decode(p), {1, 2, 0, -1, .5f, 0, .25f, 1}, .02f);
  EXPECT_EQ(kInt8.activation(p), ActivationCodes::kNone);
}

TEST(EightBit, RowsTakeTheirScalesAlong) {
  const auto rows = [](const Parameter& p, Dim first, Dim count) {
    std::vector<float> out(static_cast<size_t>(count * p.cols()));
    p.format->decode_rows(p, first, count, out.data());
    return out;
  };
  const std::vector<int8_t> codes = {1, 2, 3, 4, 5, 6};
  const std::vector<float> scales = {1, 10, 100}, one = {10};
  const auto bytes = std::as_bytes(std::span(codes));
  EXPECT_EQ(rows(weight(kInt8, {3, 2}, bytes, scales), 1, 2),
            (std::vector<float>{30, 40, 500, 600}));
  EXPECT_EQ(rows(weight(kInt8, {3, 2}, bytes, one), 2, 1), (std::vector<float>{50, 60}));

  const std::vector<uint8_t> small = {0x38, 0x40, 0xb8, 0xc0};  // 1 2 -1 -2
  const Parameter fp8 = weight(kFp8E4M3, {2, 2}, std::as_bytes(std::span(small)), {});
  EXPECT_EQ(rows(fp8, 1, 1), (std::vector<float>{-1, -2}));
  EXPECT_EQ(rows(fp8, 0, 1), (std::vector<float>{1, 2}));
}

TEST(Hadamard, IsTheRegularMatrixAndItsOwnInverse) {
  for (const Dim group : {4, 16, 64, 256, 1024}) {
    SCOPED_TRACE(group);
    const float size = 1.0f / std::sqrt(static_cast<float>(group));
    for (Dim i = 0; i < group; ++i) {
      std::vector<float> row(static_cast<size_t>(group));
      row[static_cast<size_t>(i)] = 1;
      rotate_row(row.data(), group, group);
      for (Dim j = 0; j < group; ++j) {  // the sign: one minus per base-4 digit where i + j = 3
        float want = size;
        for (Dim a = i, b = j, n = group; n > 1; a /= 4, b /= 4, n /= 4)
          if (a % 4 + b % 4 == 3) want = -want;
        ASSERT_EQ(row[static_cast<size_t>(j)], want) << i << " " << j;
      }
      rotate_row(row.data(), group, group);
      for (Dim j = 0; j < group; ++j) ASSERT_EQ(row[static_cast<size_t>(j)], i == j ? 1 : 0);
    }
  }
}

TEST(Hadamard, Examples) {
  std::vector<float> x = {.5f, -.5f, 2, .25f, 1, 2, 3, 10};
  rotate_row(x.data(), 8, 4);
  EXPECT_EQ(x, (std::vector<float>{.875f, -.875f, 1.625f, .625f, -2, 5, 6, 7}));
}

}  // namespace
}  // namespace tintype::test
