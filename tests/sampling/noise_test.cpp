#include "sampling/noise.h"

#include <bit>
#include <string>

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/sampling_golden.h"

namespace tintype {
namespace {

using test::sampling_golden;

// 64-bit FNV-1a over the words of the values.
std::string hash(const Array& array) {
  uint64_t value = 0xcbf29ce484222325u;
  for (const float v : array.values())
    value = (value ^ std::bit_cast<uint32_t>(v)) * 0x100000001b3u;
  return std::to_string(value);
}

void expect_bits(const Array& noise, const nlohmann::json& bits) {
  ASSERT_EQ(noise.elements(), static_cast<Dim>(bits.size()));
  for (size_t i = 0; i < bits.size(); ++i)
    EXPECT_EQ(std::bit_cast<uint32_t>(noise.values()[i]), bits[i].get<uint32_t>()) << "value " << i;
}

TEST(CpuNoise, EqualsTorchAroundEveryBlockBoundary) {
  for (const auto& item : sampling_golden("noise", "cpu")) {
    const auto seed = static_cast<uint64_t>(item["seed"].get<int64_t>());
    const Array noise = cpu_noise(seed, {item["size"].get<Dim>()});
    EXPECT_EQ(hash(noise), item["hash"]) << "seed " << item["seed"] << ", size " << item["size"];
  }
}

TEST(CpuNoise, EqualsTorchValueByValue) {
  const auto golden = sampling_golden("noise", "cpu_first");
  for (const auto& [size, bits] : golden["bits"].items())
    expect_bits(cpu_noise(golden["seed"].get<uint64_t>(), {std::stoll(size)}), bits);
}

TEST(CpuNoise, SeedsCountModulo32Bits) {
  EXPECT_EQ(hash(cpu_noise(5, {40})), hash(cpu_noise((uint64_t{1} << 32) + 5, {40})));
  EXPECT_EQ(hash(cpu_noise(~uint64_t{0}, {40})), hash(cpu_noise(0xffffffffu, {40})));
}

TEST(CpuNoise, DependsOnTheCountAloneNotOnTheShape) {
  EXPECT_EQ(hash(cpu_noise(1, {2, 3, 5})), hash(cpu_noise(1, {30})));
  EXPECT_EQ(cpu_noise(1, {0}).elements(), 0);
}

TEST(NvNoise, EqualsTheOriginal) {
  for (const auto& item : sampling_golden("noise", "nv")) {
    const Array noise =
        nv_noise(std::stoull(item["seed"].get<std::string>()), {item["size"].get<Dim>()});
    EXPECT_EQ(hash(noise), item["hash"]) << "seed " << item["seed"] << ", size " << item["size"];
  }
  const auto first = sampling_golden("noise", "nv_first");
  expect_bits(nv_noise(first["seed"].get<uint64_t>(), {12}), first["bits"]);
}

TEST(NvNoise, AValueDoesNotDependOnTheSize) {
  const Array few = nv_noise(7, {3}), many = nv_noise(7, {100});
  for (Dim i = 0; i < 3; ++i) EXPECT_EQ(few[i], many[i]);
}

TEST(Rng, IsFoundByName) {
  EXPECT_EQ(find_rng("cpu").noise, &cpu_noise);
  EXPECT_EQ(find_rng("nv").noise, &nv_noise);
  EXPECT_THROW(find_rng("gpu"), Error);
}

}  // namespace
}  // namespace tintype
