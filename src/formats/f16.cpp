// F16: IEEE half precision, little endian: 1 sign, 5 exponent, 10 fraction bits. Subnormals count,
// and values beyond 65504 become infinite.
#include "formats/formats.h"

namespace tintype {
namespace {

void decode_f16(const std::byte* in, Dim blocks, float* out) {
  const auto* halves = reinterpret_cast<const uint16_t*>(in);
  for (Dim i = 0; i < blocks; ++i) out[i] = half_to_float(halves[i]);
}

void encode_f16(const float* in, Dim blocks, std::byte* out) {
  auto* halves = reinterpret_cast<uint16_t*>(out);
  for (Dim i = 0; i < blocks; ++i) halves[i] = float_to_half(in[i]);
}

}  // namespace

constinit const BlockFormat kF16({.name = "f16",
                                  .type_name = "F16",
                                  .gguf_type = 1,
                                  .values = 1,
                                  .bytes = 2,
                                  .decode = decode_f16,
                                  .encode = encode_f16,
                                  .max_error = 1.0f / 2048});

}  // namespace tintype
