// The block formats of GGUF: published vectors, round trips within the stated error, odd cuts.
#include "formats/blocks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "formats/formats.h"

namespace tintype::test {
namespace {

using Bytes = std::vector<std::byte>;

Bytes from_hex(std::string_view hex) {
  Bytes out;
  for (size_t i = 0; i < hex.size(); i += 2)
    out.push_back(static_cast<std::byte>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  return out;
}

std::string to_hex(const Bytes& bytes) {
  std::string out;
  for (const std::byte b : bytes) {
    out += "0123456789abcdef"[std::to_integer<int>(b) >> 4];
    out += "0123456789abcdef"[std::to_integer<int>(b) & 15];
  }
  return out;
}

std::vector<float> decode_blocks(const BlockFormat& format, const Bytes& bytes) {
  const BlockCodec& codec = format.codec();
  const size_t blocks = bytes.size() / codec.bytes;
  std::vector<float> out(blocks * static_cast<size_t>(codec.values));
  codec.decode(bytes.data(), static_cast<Dim>(blocks), out.data());
  return out;
}

Bytes encode_blocks(const BlockFormat& format, const std::vector<float>& values) {
  const BlockCodec& codec = format.codec();
  const size_t blocks = values.size() / static_cast<size_t>(codec.values);
  Bytes out(blocks * codec.bytes);
  codec.encode(values.data(), static_cast<Dim>(blocks), out.data());
  return out;
}

// Byte i is 37i + 11; then d becomes 0.0625 and dmin, if there is one, 0.125.
Bytes vector_block(const BlockFormat& format, size_t d_at, size_t dmin_at = 0) {
  Bytes block(format.codec().bytes);
  for (size_t i = 0; i < block.size(); ++i) block[i] = static_cast<std::byte>((37 * i + 11) & 255);
  block[d_at] = std::byte{0x00}, block[d_at + 1] = std::byte{0x2c};
  if (dmin_at) block[dmin_at] = std::byte{0x00}, block[dmin_at + 1] = std::byte{0x30};
  return block;
}

struct Vector {
  const BlockFormat* format;
  size_t d_at, dmin_at;
  float first[4], y16, y17, middle, last, sum, sum_abs;
};

class BlockVectors : public testing::TestWithParam<Vector> {};

TEST_P(BlockVectors, DecodeExactly) {
  const Vector& v = GetParam();
  const auto y = decode_blocks(*v.format, vector_block(*v.format, v.d_at, v.dmin_at));
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(y[i], v.first[i]) << i;
  EXPECT_EQ(y[16], v.y16);
  EXPECT_EQ(y[17], v.y17);
  if (y.size() > 128) {
    EXPECT_EQ(y[128], v.middle);
  }
  EXPECT_EQ(y.back(), v.last);
  double sum = 0, sum_abs = 0;
  for (const float x : y) sum += x, sum_abs += std::fabs(x);
  EXPECT_EQ(sum, v.sum);
  EXPECT_EQ(sum_abs, v.sum_abs);
}

const Vector kVectors[] = {
    {&kQ4_0, 0, 0, {-.1875f, .125f, .4375f, -.25f}, -.1875f, -.0625f, 0, 0, -1.3125f, 7.6875f},
    {&kQ8_0, 0, 0, {5.3125f, 7.625f, -6.0625f, -3.75f}, -5.6875f, -3.375f, 0, -3, -11, 135.75f},
    {&kQ4_K,
     0,
     2,
     {14.9375f, -6.375f, 3.3125f, 13},
     14.9375f,
     -6.375f,
     25.3125f,
     -.25f,
     2610.5f,
     2982.5f},
    {&kQ5_K,
     0,
     2,
     {45.9375f, -6.375f, 34.3125f, 13},
     45.9375f,
     -6.375f,
     64.3125f,
     3.5f,
     6471.5f,
     6659.25f},
    {&kQ6_K,
     208,
     0,
     {-89.4375f, 106, 36.4375f, -33.125f},
     -27,
     32,
     -21.9375f,
     -3.75f,
     288.25f,
     16656.375f},
};
INSTANTIATE_TEST_SUITE_P(Blocks, BlockVectors, testing::ValuesIn(kVectors),
                         [](const auto& row) { return std::string(row.param.format->name()); });

std::vector<float> ramp(size_t n) {
  std::vector<float> x(n);
  for (size_t i = 0; i < n; ++i) x[i] = (static_cast<float>(37 * i % 101) - 50.0f) / 64.0f;
  return x;
}

TEST(Blocks, ReferenceQuantisersGiveGgmlsBytes) {
  EXPECT_EQ(to_hex(encode_blocks(kQ4_0, ramp(32))), "402ee046acf258bd1379df358be046acf268");
  EXPECT_EQ(to_hex(encode_blocks(kQ8_0, ramp(32))),
            "4d1e81df3d9af856b41270cd2b89e745a2005ebb1977d53390ee4caa0866c3217fdc");
}

// Blocks that ggml's own quantisers made of the ramp, and how far they are from it.
TEST(Blocks, GgmlsBlocksDecodeToTheRamp) {
  const struct {
    const BlockFormat* format;
    const char* hex;
    float error;
  } rows[] = {
      {&kQ4_K,
       "de162c22fefffffcfffdfefecfdcfffea0156bc1278cd3489e045ab0167bc2378de349ae056ab1267cd2389de45"
       "9af15268ce248ad0459b0157bd1379ce348ae046ac0267bd2379df359be156ac1268c9df359be157ac1268ce248"
       "ad0459b0157bd1379ce348ae046ac0267bd2379df3156ac1268cd2489df459b0157bc1378ce348ae046ab0267bd"
       "2379de359ae156a",
       .0486f},
      {&kQ5_K,
       "8e125322fffdfdfdfffcfeffdfeffdcf326c9936cc9366c9b36499324c9926cc9366c9336c99364c9b66cdb366d"
       "9336c702be7a35f1ad6824d09c5813cf8b46f2be7935e1ad6824d09c5703cf8a36f2b5e1ad5914d09c4803cf8b3"
       "6f2be6a25e1ad5914d09c4703cf7b36f2be6a25e1a3be8b36e2be6925e19c5814c08b4703cf7a36f2ad6925d19c"
       "5814c08b4703be71bd7824e0ab5713de9a4602cd8935f1bc6824e0ab5713de9a4601cd7935f1bc6",
       .0251f},
      {&kQ6_K,
       "d158bf37be25ad048b047bf37ad159d0c941ea63eb74fb741d951ea72fc841c9bf35ad169b048df26be069d147c"
       "f38bd1a922c840d85ed77ff57d038b04aa22b67df58c139b22aa22b931c85fd76ee57ce5ad137b31a902c830f86"
       "ec78ff55d1c841da62eb63fc840d951ea63fb840c9d129b30b931c74fe86de67ff47d129b118b1c66cb11b6c861"
       "b71c61cb1c76cb22453f9248ef9138ef4538d2452f9248ed4a209d47e09a37e14a349d4ae09d77ec863be1463c9"
       "147ec923bec463bd1463807f897a867a84877f737d7a81877c89758a",
       .0124f},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.format->name());
    const auto y = decode_blocks(*row.format, from_hex(row.hex)), x = ramp(256);
    float error = 0;
    for (size_t i = 0; i < 256; ++i) error = std::max(error, std::fabs(y[i] - x[i]));
    EXPECT_NEAR(error, row.error, 5e-5f);
  }
}

TEST(Blocks, ZerosStayZeros) {
  EXPECT_EQ(to_hex(encode_blocks(kQ4_0, std::vector<float>(32))),
            "008088888888888888888888888888888888");
  for (const BlockFormat* format : block_formats()) {
    SCOPED_TRACE(format->name());
    for (const float y : decode_blocks(*format, encode_blocks(*format, std::vector<float>(256))))
      EXPECT_EQ(y, 0.0f);
  }
}

// Steps so small that their inverse overflows.
TEST(Blocks, TinyWeightsEncode) {
  for (const BlockFormat* format : block_formats()) {
    SCOPED_TRACE(format->name());
    for (const float y :
         decode_blocks(*format, encode_blocks(*format, std::vector<float>(256, 1e-42f))))
      EXPECT_NEAR(y, 0.0f, 1e-42f);
  }
}

TEST(Blocks, RoundTripsStayWithinTheStatedError) {
  std::mt19937 engine(7);
  std::normal_distribution<float> normal;
  for (const BlockFormat* format : block_formats()) {
    SCOPED_TRACE(format->name());
    const auto n = static_cast<size_t>(format->codec().values);
    float worst = 0;
    for (int block = 0; block < 5000; ++block) {
      // Every third block leans to one side, every fifth has an outlier, some are flat.
      std::vector<float> x(n);
      const float mean = block % 3 == 0 ? 2.0f : 0.0f, spread = block % 7 == 0 ? 0.01f : 1.0f;
      for (float& v : x) v = mean + spread * normal(engine);
      if (block % 5 == 0) x[engine() % n] *= -8.0f;
      float peak = 0;
      for (const float v : x) peak = std::max(peak, std::fabs(v));
      const auto y = decode_blocks(*format, encode_blocks(*format, x));
      for (size_t i = 0; i < n; ++i) worst = std::max(worst, std::fabs(y[i] - x[i]) / peak);
    }
    EXPECT_LE(worst, format->codec().max_error);
    EXPECT_GE(worst, format->codec().max_error / 2);  // else the bound says little
  }
}

// A weight of 6 rows of `cols` values, blocks laid over them without regard to rows.
Parameter parameter(const BlockFormat& format, const Bytes& bytes, Dim rows) {
  const auto elements =
      static_cast<Dim>(bytes.size() / format.codec().bytes) * format.codec().values;
  const Shape shape{rows, elements / rows};
  return {.name = "w", .format = &format, .shape = shape, .parts = {{bytes, shape}}, .file = {}};
}

TEST(Blocks, RowsThatNoBlockFitsDecode) {
  const Bytes bytes = encode_blocks(kQ8_0, ramp(32 * 9));
  const Parameter p = parameter(kQ8_0, bytes, 6);  // 48 columns
  const auto all = decode_blocks(kQ8_0, bytes);
  EXPECT_EQ(decode(p), all);
  for (Dim first = 0; first < 6; ++first)
    for (Dim count = 1; first + count <= 6; ++count) {
      std::vector<float> out(static_cast<size_t>(48 * count));
      kQ8_0.decode_rows(p, first, count, out.data());
      EXPECT_TRUE(std::equal(out.begin(), out.end(), all.begin() + 48 * first));
    }
}

TEST(Floats, EveryHalfSurvives) {
  for (uint32_t code = 0; code < 65536; ++code) {
    const auto bits = static_cast<uint16_t>(code);
    Bytes stored(2), back(2);
    std::memcpy(stored.data(), &bits, 2);
    for (const BlockFormat* format : {&kF16, &kBF16}) {
      const float value = decode_blocks(*format, stored)[0];
      if (value != value) continue;
      format->codec().encode(&value, 1, back.data());
      EXPECT_EQ(back, stored) << format->name() << " " << code;
    }
  }
  EXPECT_EQ(decode_blocks(kF16, from_hex("003c00c00100")),
            (std::vector<float>{1.0f, -2.0f, 0x1p-24f}));
  EXPECT_EQ(decode_blocks(kBF16, from_hex("c03f807f")), (std::vector<float>{1.5f, INFINITY}));
  EXPECT_EQ(decode_blocks(kF32, from_hex("00002041")), std::vector<float>{10.0f});
}

}  // namespace
}  // namespace tintype::test
