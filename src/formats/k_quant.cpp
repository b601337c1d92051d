#include "formats/k_quant.h"

#include <algorithm>
#include <cmath>

#include "tensor/dtype.h"

namespace tintype {
namespace {

// Nearest multiple of the half `d` that is at most 63 times it.
uint8_t six_bits(float value, float d) {
  return d > 0.0f ? static_cast<uint8_t>(std::min(63.0f, std::nearbyint(value / d))) : uint8_t{0};
}

std::array<uint8_t, 12> pack(const std::array<ScaleMin, 8>& groups) {
  std::array<uint8_t, 12> b{};
  for (size_t j = 0; j < 4; ++j) {
    const ScaleMin low = groups[j], high = groups[j + 4];
    b[j] = static_cast<uint8_t>(low.scale | (high.scale >> 4) << 6);
    b[j + 4] = static_cast<uint8_t>(low.min | (high.min >> 4) << 6);
    b[j + 8] = static_cast<uint8_t>((high.scale & 15) | (high.min & 15) << 4);
  }
  return b;
}

}  // namespace

KQuant k_quantise(const float* in, int levels) {
  std::array<float, 8> scale, min;
  for (size_t g = 0; g < 8; ++g) {
    const auto [low, high] = std::minmax_element(in + 32 * g, in + 32 * (g + 1));
    min[g] = -std::min(*low, 0.0f);
    scale[g] = (*high + min[g]) / static_cast<float>(levels);
  }

  KQuant q;
  q.d = float_to_half(*std::max_element(scale.begin(), scale.end()) / 63.0f);
  q.dmin = float_to_half(*std::max_element(min.begin(), min.end()) / 63.0f);
  const float d = half_to_float(q.d), dmin = half_to_float(q.dmin);

  std::array<ScaleMin, 8> groups;
  for (size_t g = 0; g < 8; ++g) {
    groups[g] = {six_bits(scale[g], d), six_bits(min[g], dmin)};
    const float step = d * static_cast<float>(groups[g].scale);
    const float offset = dmin * static_cast<float>(groups[g].min);
    for (size_t i = 32 * g; i < 32 * (g + 1); ++i) {
      const float code = step > 0.0f ? std::nearbyint((in[i] + offset) / step) : 0.0f;
      q.codes[i] = static_cast<uint8_t>(std::clamp(code, 0.0f, static_cast<float>(levels)));
    }
  }
  q.scales = pack(groups);
  return q;
}

}  // namespace tintype
