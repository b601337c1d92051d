// Vector decoders against the formats' own plain loops: equal values, for bf16 rounded once.
#include "backends/cpu/decode.h"

#include <bit>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "formats/formats.h"
#include "support/evaluate.h"

namespace tintype::cpu {
namespace {

constexpr Dim kRows = 5;

// A weight of random bytes, so that every code occurs and halves are infinite or NaN at times.
class RandomWeight {
 public:
  RandomWeight(const Format& format, const Shape& shape, bool row_scales, Dim rotation = 0) {
    std::mt19937 engine(7);
    const auto* blocks = dynamic_cast<const BlockFormat*>(&format);
    const Dim count = shape.elements();
    const size_t bytes = blocks == nullptr ? static_cast<size_t>(count)
                                           : static_cast<size_t>(count / blocks->codec().values) *
                                                 blocks->codec().bytes;
    codes_.resize(bytes);
    for (std::byte& b : codes_) b = static_cast<std::byte>(engine());
    parameter_.name = "w";
    parameter_.format = &format;
    parameter_.shape = shape;
    parameter_.parts = {{codes_, shape}};
    parameter_.rotation = rotation;
    if (blocks != nullptr) return;
    for (float& s : scales_) s = 0.001f * static_cast<float>(engine() % 1000 + 1);
    const auto scale_bytes = std::as_bytes(std::span(scales_));
    parameter_.parts.push_back(row_scales ? Part{scale_bytes, {kRows}}
                                          : Part{scale_bytes.first(sizeof(float)), {}});
  }
  const Parameter& parameter() const { return parameter_; }

 private:
  std::vector<std::byte> codes_;
  std::array<float, kRows> scales_;
  Parameter parameter_;
};

bool same(float got, float want) {
  return std::isnan(want) ? std::isnan(got)
                          : std::bit_cast<uint32_t>(got) == std::bit_cast<uint32_t>(want);
}

void expect_same_values(const Parameter& p) {
  const Dim cols = p.cols();
  const std::vector<float> want = decode(p);
  for (Isa isa : {Isa::kAvx2, Isa::kAvx512}) {
    if (isa > test::test_facts().isa) continue;
    const Dim first = 2;
    const RowDecoder decoder({&p, first, kRows - first}, isa);
    std::vector<float> spare(static_cast<size_t>(cols)), row(spare);
    std::vector<BF16> rounded(static_cast<size_t>(cols));
    for (Dim r = first; r < kRows; ++r) {
      decoder.decode(r - first, row.data(), spare.data());
      decoder.decode(r - first, rounded.data(), spare.data());
      for (Dim c = 0; c < cols; ++c) {
        const auto i = static_cast<size_t>(c);
        const float value = want[static_cast<size_t>(r * cols + c)];
        ASSERT_PRED2(same, row[i], value) << p.format->name() << " row " << r << " column " << c;
        ASSERT_PRED2(same, static_cast<float>(rounded[i]), static_cast<float>(BF16(value)))
            << p.format->name() << " as bf16, row " << r << " column " << c;
      }
    }
  }
}

TEST(DecodeCpu, EqualsTheFormat) {
  for (const Format* format : formats())
    for (bool row_scales : {false, true})
      expect_same_values(RandomWeight(*format, {kRows, 512}, row_scales).parameter());
}

TEST(DecodeCpu, RowsOfAnyLength) {
  for (const Format* format :
       {static_cast<const Format*>(&kF32), static_cast<const Format*>(&kF16),
        static_cast<const Format*>(&kBF16), static_cast<const Format*>(&kFp8E4M3),
        static_cast<const Format*>(&kInt8)})
    for (Dim cols : {1, 7, 33})
      expect_same_values(RandomWeight(*format, {kRows, cols}, true).parameter());
}

TEST(DecodeCpu, RotatedRows) {
  for (Dim group : {4, 16, 64, 256, 1024})
    for (Dim groups : {1, 3})
      expect_same_values(RandomWeight(kInt8, {kRows, group * groups}, true, group).parameter());
}

TEST(DecodeCpu, RotatedConvolution) {
  expect_same_values(RandomWeight(kInt8, {kRows, 16, 3, 3}, true, 16).parameter());
}

TEST(DecodeCpu, BlocksThatCrossRows) {
  RandomWeight weight(kQ8_0, {kRows, 64}, false);
  Parameter p = weight.parameter();
  p.shape = {kRows, 16, 2, 2};  // 64 columns
  expect_same_values(p);
  p.shape = {kRows, 20, 3, 1};  // 60 columns, of blocks of 32
  expect_same_values(p);
}

}  // namespace
}  // namespace tintype::cpu
