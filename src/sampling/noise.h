// Start noise that equals other programs' for the same seed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tensor/array.h"

namespace tintype {

// torch.manual_seed(seed); torch.randn(shape) on a CPU with AVX2, bit for bit. Only the low 32 bits
// of the seed count, as in PyTorch; a negative seed is its two's complement.
Array cpu_noise(uint64_t seed, const Shape& shape);

// The first draw of stable-diffusion-webui's "NV" source: Philox 4x32-10, one counter per value.
// Near torch.randn on CUDA, but for last bits, while the values fit in one launch of its kernel.
Array nv_noise(uint64_t seed, const Shape& shape);

struct Rng {
  std::string_view name, description;
  Array (*noise)(uint64_t seed, const Shape& shape);
};

std::span<const Rng> rngs();
const Rng& find_rng(std::string_view name);  // throws kUsage

}  // namespace tintype
