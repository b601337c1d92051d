// What Q4_K and Q5_K share: 256 weights as eight groups of 32, each with a 6-bit scale and a 6-bit
// minimum, all under two halves.
#pragma once

#include <array>
#include <cstdint>

#include "formats/blocks.h"

namespace tintype {

struct KQuant {
  uint16_t d, dmin;                // halves
  std::array<uint8_t, 12> scales;  // packed, see scale_min()
  std::array<uint8_t, 256> codes;  // 0..levels
};

// Quantises 256 weights to codes 0..levels. Plain: each group spans from its minimum, or zero, to
// its maximum; no search for better scales.
KQuant k_quantise(const float* in, int levels);

}  // namespace tintype
