// Q4_0: blocks of 32 weights sharing one half scale, 18 bytes a block.
//
//   byte 0..1    d    half
//   byte 2..17   qs   uint8[16]: weight j in the low half of qs[j], j + 16 in the high half
//   weight j = d * (q[j] - 8)
#include <algorithm>
#include <cmath>

#include "formats/blocks.h"
#include "formats/formats.h"

namespace tintype {
namespace {

constexpr Dim kValues = 32;
constexpr float kTiny = 0x1p-126f;  // a smaller step is zero as a half, and its inverse infinite

void decode_q4_0(const std::byte* in, Dim blocks, float* out) {
  const auto* b = reinterpret_cast<const BlockQ4_0*>(in);
  for (Dim i = 0; i < blocks; ++i, ++b, out += kValues) {
    const float d = half_to_float(b->d);
    for (int j = 0; j < 16; ++j) {
      out[j] = d * static_cast<float>((b->qs[j] & 15) - 8);
      out[j + 16] = d * static_cast<float>((b->qs[j] >> 4) - 8);
    }
  }
}

// The reference quantiser of ggml: the weight of largest magnitude, the first of equals, gets -8.
void encode_q4_0(const float* in, Dim blocks, std::byte* out) {
  auto* b = reinterpret_cast<BlockQ4_0*>(out);
  for (Dim i = 0; i < blocks; ++i, ++b, in += kValues) {
    const float peak = *std::max_element(
        in, in + kValues, [](float x, float y) { return std::fabs(x) < std::fabs(y); });
    const float d = peak / -8.0f;
    const float inverse = std::fabs(d) < kTiny ? 0.0f : 1.0f / d;
    const auto code = [&](float x) { return std::min(15, static_cast<int>(x * inverse + 8.5f)); };
    b->d = float_to_half(d);
    for (int j = 0; j < 16; ++j)
      b->qs[j] = static_cast<uint8_t>(code(in[j]) | code(in[j + 16]) << 4);
  }
}

}  // namespace

// A weight at +peak wants code 16 and gets 15: one step, plus what rounding d to a half costs.
constinit const BlockFormat kQ4_0({.name = "q4_0",
                                   .type_name = "Q4_0",
                                   .gguf_type = 2,
                                   .values = kValues,
                                   .bytes = sizeof(BlockQ4_0),
                                   .decode = decode_q4_0,
                                   .encode = encode_q4_0,
                                   .max_error = 1.0f / 8 + 1.0f / 2048});

}  // namespace tintype
