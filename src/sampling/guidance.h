// Between a network's output and a sampler's denoised latent: parameterisation and classifier-free
// guidance.
#pragma once

#include "tensor/array.h"
#include "tensor/prediction.h"

namespace tintype {

// Classifier-free guidance, Ho & Salimans 2022: from `uncond` towards `cond` and, for scale > 1,
// beyond. On denoised latents and on velocities it is the same.
Array guide(const Array& cond, const Array& uncond, float scale);

// The denoised latent of a flow model at noise level sigma.
Array flow_denoised(const Array& x, const Array& velocity, float sigma);

// A latent with noise up to level sigma, where a flow model starts; at sigma 1 it is the noise.
Array flow_start(const Array& noise, const Array& latent, float sigma);

}  // namespace tintype
