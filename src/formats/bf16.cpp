// BF16: the upper half of an f32, little endian: 1 sign, 8 exponent, 7 fraction bits.
#include "formats/formats.h"

namespace tintype {
namespace {

void decode_bf16(const std::byte* in, Dim blocks, float* out) {
  const auto* values = reinterpret_cast<const BF16*>(in);
  for (Dim i = 0; i < blocks; ++i) out[i] = static_cast<float>(values[i]);
}

void encode_bf16(const float* in, Dim blocks, std::byte* out) {
  auto* values = reinterpret_cast<BF16*>(out);
  for (Dim i = 0; i < blocks; ++i) values[i] = BF16(in[i]);
}

}  // namespace

constinit const BlockFormat kBF16({.name = "bf16",
                                   .type_name = "BF16",
                                   .gguf_type = 30,
                                   .values = 1,
                                   .bytes = 2,
                                   .decode = decode_bf16,
                                   .encode = encode_bf16,
                                   .max_error = 1.0f / 256});

}  // namespace tintype
