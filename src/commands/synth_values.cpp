#include "commands/synth_values.h"

#include <numbers>

#include "base/parallel.h"

namespace tintype {
namespace {

// SplitMix64's finaliser (Steele, Lea & Flood 2014): well mixed bits of a counter.
uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Of mean 0 and deviation 1: the sum of four uniform 16-bit numbers, which ends at 3.46.
float normal(uint64_t bits) {
  const uint64_t sum =
      (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
  constexpr float kMean = 2 * 65535.0f, kDeviation = 65536 / std::numbers::sqrt3_v<float>;
  return (static_cast<float>(sum) - kMean) / kDeviation;
}

}  // namespace

NormalValues::NormalValues(uint64_t seed, std::string_view name, float mean, float sigma)
    : key_(mix(seed)), mean_(mean), sigma_(sigma) {
  for (const char c : name) key_ = mix(key_ ^ static_cast<unsigned char>(c));
}

void NormalValues::fill(size_t first, std::span<float> out) const {
  parallel_ranges(static_cast<int64_t>(out.size()), 4096, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
      out[i] = mean_ + sigma_ * normal(mix(key_ + first + i));
  });
}

}  // namespace tintype
