// Q8_0: blocks of 32 weights sharing one half scale, 34 bytes a block.
//
//   byte 0..1    d    half
//   byte 2..33   qs   int8[32]
//   weight j = d * qs[j]
#include <algorithm>
#include <cmath>

#include "formats/blocks.h"
#include "formats/formats.h"

namespace tintype {
namespace {

constexpr Dim kValues = 32;
constexpr float kTiny = 0x1p-126f;  // a smaller step is zero as a half, and its inverse infinite

void decode_q8_0(const std::byte* in, Dim blocks, float* out) {
  const auto* b = reinterpret_cast<const BlockQ8_0*>(in);
  for (Dim i = 0; i < blocks; ++i, ++b, out += kValues) {
    const float d = half_to_float(b->d);
    for (int j = 0; j < kValues; ++j) out[j] = d * static_cast<float>(b->qs[j]);
  }
}

// The reference quantiser of ggml, which rounds halves away from zero.
void encode_q8_0(const float* in, Dim blocks, std::byte* out) {
  auto* b = reinterpret_cast<BlockQ8_0*>(out);
  for (Dim i = 0; i < blocks; ++i, ++b, in += kValues) {
    float peak = 0.0f;
    for (int j = 0; j < kValues; ++j) peak = std::max(peak, std::fabs(in[j]));
    const float d = peak / 127.0f;
    const float inverse = d < kTiny ? 0.0f : 1.0f / d;
    b->d = float_to_half(d);
    for (int j = 0; j < kValues; ++j) b->qs[j] = static_cast<int8_t>(std::round(in[j] * inverse));
  }
}

}  // namespace

// Half a step, plus what rounding d to a half costs.
constinit const BlockFormat kQ8_0({.name = "q8_0",
                                   .type_name = "Q8_0",
                                   .gguf_type = 8,
                                   .values = kValues,
                                   .bytes = sizeof(BlockQ8_0),
                                   .decode = decode_q8_0,
                                   .encode = encode_q8_0,
                                   .max_error = 1.0f / 254 + 1.0f / 2048});

}  // namespace tintype
