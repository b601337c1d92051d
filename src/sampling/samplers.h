// Samplers: from noise to a picture's latent through a list of noise levels. A sampler sees a
// function and numbers, never a model, and works for eps and flow models alike: both follow
// dx/dsigma = (x - D(x, sigma)) / sigma.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "tensor/array.h"

namespace tintype {

// D(x, sigma): the denoised latent that the model sees in x. Throws to cancel.
using Denoise = std::function<Array(const Array& x, float sigma)>;
// Called after step i = 0, 1, … with the x that it reached. Throws to cancel.
using OnStep = std::function<void(size_t step, const Array& x)>;

// `x` is at sigmas[0]. All levels are positive except that the last may be 0, neighbours differ.
Array sample_euler(const Denoise& denoise, Array x, std::span<const float> sigmas,
                   const OnStep& on_step);
Array sample_heun(const Denoise& denoise, Array x, std::span<const float> sigmas,
                  const OnStep& on_step);
Array sample_dpmpp_2m(const Denoise& denoise, Array x, std::span<const float> sigmas,
                      const OnStep& on_step);

struct Sampler {
  std::string_view name, description;
  Array (*sample)(const Denoise& denoise, Array x, std::span<const float> sigmas,
                  const OnStep& on_step);
  int evaluations;  // of the model per step; a step to sigma 0 always takes one
};

std::span<const Sampler> samplers();
const Sampler& find_sampler(std::string_view name);  // throws kUsage

// Evaluations of the model in a whole run.
int evaluations(const Sampler& sampler, std::span<const float> sigmas);

// Throws kUsage unless the levels are what samplers need: two or more, finite.
void check_sigmas(std::span<const float> sigmas);

}  // namespace tintype
