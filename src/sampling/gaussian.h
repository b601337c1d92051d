// The model that needs no network: pictures drawn from a Gaussian have a denoiser in closed form,
// which shows what a sampler does and how exactly.
#pragma once

#include <span>

#include "sampling/guidance.h"
#include "sampling/samplers.h"
#include "tensor/array.h"

namespace tintype {

// D(x, sigma) for latents of mean `mean` [C, h, w] and variance `var` around it; x is [B, C, h, w].
//   eps   D = mean + var / (var + s^2) * (x - mean)
//   flow  D = mean + (1-s) var / ((1-s)^2 var + s^2) * (x - (1-s) mean)
Denoise gaussian_denoiser(Prediction prediction, const Array& mean, float var);

struct Trajectory {
  Array out;     // like x
  Array states;  // [N+1, ...x]: x, then what each step reached
};

// Runs a sampler and keeps every state. Throws kUsage on unusable sigmas.
Trajectory trace(const Sampler& sampler, const Denoise& denoise, const Array& x,
                 std::span<const float> sigmas);

}  // namespace tintype
