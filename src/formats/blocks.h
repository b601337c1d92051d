// The block structs of GGUF, as they lie in the file (little endian, no padding). Layouts and the
// meaning of each byte are at the top of each format's .cpp.
#pragma once

#include <cstdint>

namespace tintype {

// All `d`, `dmin` are IEEE halves: half_to_float (tensor/dtype.h).
struct BlockQ4_0 {  // 32 values
  uint16_t d;
  uint8_t qs[16];
};
static_assert(sizeof(BlockQ4_0) == 18);

struct BlockQ8_0 {  // 32 values
  uint16_t d;
  int8_t qs[32];
};
static_assert(sizeof(BlockQ8_0) == 34);

struct BlockQ4_K {  // 256 values
  uint16_t d, dmin;
  uint8_t scales[12];
  uint8_t qs[128];
};
static_assert(sizeof(BlockQ4_K) == 144);

struct BlockQ5_K {  // 256 values
  uint16_t d, dmin;
  uint8_t scales[12];
  uint8_t qh[32];
  uint8_t qs[128];
};
static_assert(sizeof(BlockQ5_K) == 176);

struct BlockQ6_K {  // 256 values
  uint8_t ql[128];
  uint8_t qh[64];
  int8_t scales[16];
  uint16_t d;
};
static_assert(sizeof(BlockQ6_K) == 210);

// The eight 6-bit (scale, minimum) pairs of Q4_K and Q5_K, packed into 12 bytes.
struct ScaleMin {
  uint8_t scale, min;
};
inline ScaleMin scale_min(const uint8_t* b, int j) {
  if (j < 4) return {static_cast<uint8_t>(b[j] & 63), static_cast<uint8_t>(b[j + 4] & 63)};
  return {static_cast<uint8_t>((b[j + 4] & 15) | (b[j - 4] >> 6) << 4),
          static_cast<uint8_t>((b[j + 4] >> 4) | (b[j] >> 6) << 4)};
}

}  // namespace tintype
