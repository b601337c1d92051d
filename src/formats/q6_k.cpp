// Q6_K: blocks of 256 weights as 16 groups of 16, 210 bytes a block.
//
//   byte 0..127    ql       low 4 bits; per half of the block 64 bytes, see below
//   byte 128..191  qh       high 2 bits; per half 32 bytes: bits 2s..2s+1 belong to quarter s
//   byte 192..207  scales   int8[16], one per group
//   byte 208..209  d        half
//   weight l of quarter s of half h: low bits in ql[64h + 32(s%2) + l], the low ones for s < 2
//   weight = d * scale[group] * (q - 32),  q in 0..63
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "formats/blocks.h"
#include "formats/formats.h"

namespace tintype {
namespace {

constexpr Dim kValues = 256;

void decode_q6_k(const std::byte* in, Dim blocks, float* out) {
  const auto* b = reinterpret_cast<const BlockQ6_K*>(in);
  for (Dim i = 0; i < blocks; ++i, ++b) {
    const float d = half_to_float(b->d);
    for (int quarter = 0; quarter < 8; ++quarter) {
      const int half = quarter / 4, s = quarter % 4;
      const uint8_t* ql = b->ql + 64 * half + 32 * (s % 2);
      const uint8_t* qh = b->qh + 32 * half;
      for (int l = 0; l < 32; ++l) {
        const int q = ((ql[l] >> 4 * (s / 2)) & 15) | ((qh[l] >> 2 * s) & 3) << 4;
        const int8_t scale = b->scales[2 * quarter + l / 16];
        const float step = d * static_cast<float>(scale);
        *out++ = step * static_cast<float>(q - 32);
      }
    }
  }
}

// The weight of largest magnitude among 16, over -32: the step that gives it code -32.
float ideal_step(const float* in) {
  const float peak =
      *std::max_element(in, in + 16, [](float x, float y) { return std::fabs(x) < std::fabs(y); });
  return peak / -32.0f;
}

float nearest(float value, float step, float low, float high) {
  return step == 0.0f ? 0.0f : std::clamp(std::nearbyint(value / step), low, high);
}

// Plain: no search for better scales.
void encode_q6_k(const float* in, Dim blocks, std::byte* out) {
  auto* b = reinterpret_cast<BlockQ6_K*>(out);
  for (Dim i = 0; i < blocks; ++i, ++b, in += kValues) {
    std::memset(b, 0, sizeof *b);
    std::array<float, 16> steps;
    for (size_t g = 0; g < 16; ++g) steps[g] = ideal_step(in + 16 * g);
    const float top = *std::max_element(
        steps.begin(), steps.end(), [](float x, float y) { return std::fabs(x) < std::fabs(y); });
    b->d = float_to_half(top / -128.0f);
    const float d = half_to_float(b->d);
    for (size_t g = 0; g < 16; ++g)
      b->scales[g] = static_cast<int8_t>(nearest(steps[g], d, -128.0f, 127.0f));

    for (size_t e = 0; e < 256; ++e) {
      const int8_t scale = b->scales[e / 16];
      const float step = d * static_cast<float>(scale);
      const auto q = static_cast<unsigned>(nearest(in[e], step, -32.0f, 31.0f) + 32.0f);
      const size_t half = e / 128, s = e % 128 / 32, l = e % 32;
      uint8_t& low = b->ql[64 * half + 32 * (s % 2) + l];
      uint8_t& high = b->qh[32 * half + l];
      low = static_cast<uint8_t>(low | (q & 15) << 4 * (s / 2));
      high = static_cast<uint8_t>(high | (q >> 4) << 2 * s);
    }
  }
}

}  // namespace

// A weight opposite to its group's peak may want code 32 and gets 31; the group's scale may want
// 128 and gets 127; and d is rounded to a half.
constinit const BlockFormat kQ6_K({.name = "q6_k",
                                   .type_name = "Q6_K",
                                   .gguf_type = 14,
                                   .values = kValues,
                                   .bytes = sizeof(BlockQ6_K),
                                   .decode = decode_q6_k,
                                   .encode = encode_q6_k,
                                   .max_error = 1.0f / 32 + 1.0f / 128 + 1.0f / 2048});

}  // namespace tintype
