// F32: IEEE single precision, little endian; exact.
#include <cstring>

#include "formats/formats.h"

namespace tintype {
namespace {

void decode_f32(const std::byte* in, Dim blocks, float* out) {
  std::memcpy(out, in, static_cast<size_t>(blocks) * sizeof(float));
}

void encode_f32(const float* in, Dim blocks, std::byte* out) {
  std::memcpy(out, in, static_cast<size_t>(blocks) * sizeof(float));
}

}  // namespace

constinit const BlockFormat kF32({.name = "f32",
                                  .type_name = "F32",
                                  .gguf_type = 0,
                                  .values = 1,
                                  .bytes = 4,
                                  .decode = decode_f32,
                                  .encode = encode_f32,
                                  .max_error = 0.0f});

}  // namespace tintype
