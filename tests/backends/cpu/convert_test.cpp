#include "backends/cpu/convert.h"

#include <bit>

#include <gtest/gtest.h>

#include "support/evaluate.h"

namespace tintype::cpu {
namespace {

template <class From, class To>
std::vector<To> convert(const std::vector<From>& from) {
  std::vector<To> to(from.size());
  convert_row(kDTypeOf<From>, kDTypeOf<To>, test::test_facts())(
      reinterpret_cast<const std::byte*>(from.data()), reinterpret_cast<std::byte*>(to.data()),
      static_cast<Dim>(from.size()));
  return to;
}

// Every upper half, and lower halves at, just below and just above the tie and at both ends: all
// exponents, infinities and NaNs are among them.
TEST(ConvertRow, RoundsEveryFloatToNearestEven) {
  if (test::test_facts().isa < Isa::kAvx2) GTEST_SKIP() << "needs avx2";
  std::vector<float> values;
  for (uint32_t high = 0; high < 0x10000; ++high)
    for (uint32_t low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      values.push_back(std::bit_cast<float>(high << 16 | low));

  const auto converted = convert<float, BF16>(values);
  for (size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(converted[i].bits, BF16(values[i]).bits) << std::bit_cast<uint32_t>(values[i]);
}

TEST(ConvertRow, WidensEveryBF16) {
  if (test::test_facts().isa < Isa::kAvx2) GTEST_SKIP() << "needs avx2";
  std::vector<BF16> values(0x10000);
  for (size_t i = 0; i < values.size(); ++i) values[i].bits = static_cast<uint16_t>(i);
  const auto converted = convert<BF16, float>(values);
  for (size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(std::bit_cast<uint32_t>(converted[i]), static_cast<uint32_t>(i) << 16);
}

TEST(ConvertRow, WritesNoMoreThanItIsAsked) {
  if (test::test_facts().isa < Isa::kAvx2) GTEST_SKIP() << "needs avx2";
  const auto convert = convert_row(DType::kF32, DType::kBF16, test::test_facts());
  const std::vector<float> ones(80, 1.0f);
  for (size_t n = 0; n < 80; ++n) {
    std::vector<BF16> out(80);
    convert(reinterpret_cast<const std::byte*>(ones.data()),
            reinterpret_cast<std::byte*>(out.data()), static_cast<Dim>(n));
    for (size_t i = 0; i < 80; ++i) ASSERT_EQ(static_cast<float>(out[i]), i < n ? 1.0f : 0.0f);
  }
}

}  // namespace
}  // namespace tintype::cpu
