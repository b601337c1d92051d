// Q4_K: blocks of 256 weights as eight groups of 32, 144 bytes a block.
//
//   byte 0..1     d        half
//   byte 2..3     dmin     half
//   byte 4..15    scales   eight 6-bit pairs (scale, min), see scale_min()
//   byte 16..143  qs       32 bytes for each two groups: the even group in the low halves
//   weight i of group g = d * scale[g] * q[i] - dmin * min[g],  q in 0..15
#include <algorithm>

#include "formats/blocks.h"
#include "formats/formats.h"
#include "formats/k_quant.h"

namespace tintype {
namespace {

constexpr Dim kValues = 256;

void decode_q4_k(const std::byte* in, Dim blocks, float* out) {
  const auto* b = reinterpret_cast<const BlockQ4_K*>(in);
  for (Dim i = 0; i < blocks; ++i, ++b) {
    const float d = half_to_float(b->d), dmin = half_to_float(b->dmin);
    for (int g = 0; g < 8; ++g) {
      const auto [scale, min] = scale_min(b->scales, g);
      const float step = d * static_cast<float>(scale), offset = dmin * static_cast<float>(min);
      const uint8_t* qs = b->qs + 32 * (g / 2);
      const int shift = 4 * (g % 2);
      for (int l = 0; l < 32; ++l)
        *out++ = step * static_cast<float>((qs[l] >> shift) & 15) - offset;
    }
  }
}

void encode_q4_k(const float* in, Dim blocks, std::byte* out) {
  auto* b = reinterpret_cast<BlockQ4_K*>(out);
  for (Dim i = 0; i < blocks; ++i, ++b, in += kValues) {
    const KQuant q = k_quantise(in, 15);
    b->d = q.d;
    b->dmin = q.dmin;
    std::copy(q.scales.begin(), q.scales.end(), b->scales);
    for (size_t j = 0; j < 128; ++j) {
      const size_t even = j / 32 * 64 + j % 32;
      b->qs[j] = static_cast<uint8_t>(q.codes[even] | q.codes[even + 32] << 4);
    }
  }
}

}  // namespace

// Half a step of a group that spans from -peak to peak; its scale is off by at most 1/126.
constinit const BlockFormat kQ4_K({.name = "q4_k",
                                   .type_name = "Q4_K",
                                   .gguf_type = 12,
                                   .values = kValues,
                                   .bytes = sizeof(BlockQ4_K),
                                   .decode = decode_q4_k,
                                   .encode = encode_q4_k,
                                   .max_error = 1.0f / 15 * (1.0f + 1.0f / 100)});

}  // namespace tintype
