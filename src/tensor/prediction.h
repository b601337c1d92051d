// What a denoising network predicts; it decides how its output becomes a denoised latent.
#pragma once

#include <cstdint>

namespace tintype {

enum class Prediction : uint8_t {
  kEps,   // x = latent + sigma * noise; the network gives the noise
  kFlow,  // x = (1 - sigma) * latent + sigma * noise; the network gives noise - latent
};

}  // namespace tintype
