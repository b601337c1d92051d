#include "sampling/samplers.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/nearest_name.h"

namespace tintype {
namespace {

// dx/dsigma where the model sees `denoised` in x.
Array slope(const Array& x, const Array& denoised, float sigma) {
  Array d = x - denoised;
  for (float& v : d.values()) v /= sigma;
  return d;
}

constexpr Sampler kSamplers[] = {
    {"euler", "Euler steps, order 1", sample_euler, 1},
    {"heun", "Heun steps, order 2, two evaluations each", sample_heun, 2},
    {"dpmpp_2m", "DPM-Solver++(2M), order 2 from the step before", sample_dpmpp_2m, 1},
};

}  // namespace

// Euler's method; Karras et al. 2022, "Elucidating the design space of diffusion-based generative
// models", algorithm 2 without churn.
Array sample_euler(const Denoise& denoise, Array x, std::span<const float> sigmas,
                   const OnStep& on_step) {
  for (size_t i = 0; i + 1 < sigmas.size(); ++i) {
    const float from = sigmas[i], to = sigmas[i + 1];
    x = x + (to - from) * slope(x, denoise(x, from), from);
    on_step(i, x);
  }
  return x;
}

// Heun's method; Karras et al. 2022, algorithm 2 without churn.
Array sample_heun(const Denoise& denoise, Array x, std::span<const float> sigmas,
                  const OnStep& on_step) {
  for (size_t i = 0; i + 1 < sigmas.size(); ++i) {
    const float from = sigmas[i], to = sigmas[i + 1];
    Array d = slope(x, denoise(x, from), from);
    if (to > 0) {  // at zero the slope is undefined: the last step is Euler's
      const Array guess = x + (to - from) * d;
      d = 0.5f * (d + slope(guess, denoise(guess, to), to));
    }
    x = x + (to - from) * d;
    on_step(i, x);
  }
  return x;
}

// DPM-Solver++(2M), in t = -log sigma; Lu et al. 2022, "DPM-Solver++: fast solver for guided
// sampling of diffusion probabilistic models", algorithm 2.
Array sample_dpmpp_2m(const Denoise& denoise, Array x, std::span<const float> sigmas,
                      const OnStep& on_step) {
  const auto time = [](float sigma) { return -std::log(sigma); };
  Array previous;
  for (size_t i = 0; i + 1 < sigmas.size(); ++i) {
    const float t = time(sigmas[i]), next = time(sigmas[i + 1]), h = next - t;  // next may be inf
    const Array denoised = denoise(x, sigmas[i]);
    Array d = denoised;
    if (i > 0 && sigmas[i + 1] > 0) {  // extrapolate to the middle of the step
      const float r = (t - time(sigmas[i - 1])) / h, w = 1 / (2 * r);
      d = (1 + w) * denoised - w * previous;
    }
    x = (std::exp(-next) / std::exp(-t)) * x - std::expm1(-h) * d;
    previous = denoised;
    on_step(i, x);
  }
  return x;
}

std::span<const Sampler> samplers() { return kSamplers; }

const Sampler& find_sampler(std::string_view name) {
  return find_named("sampler", name, samplers());
}

int evaluations(const Sampler& sampler, std::span<const float> sigmas) {
  int count = 0;
  for (size_t i = 1; i < sigmas.size(); ++i) count += sigmas[i] > 0 ? sampler.evaluations : 1;
  return count;
}

void check_sigmas(std::span<const float> sigmas) {
  check(sigmas.size() >= 2, ErrorCode::kUsage, "sigmas: has ", sigmas.size(),
        " levels, needs 2 or more");
  for (size_t i = 0; i < sigmas.size(); ++i) {
    const bool may_be_zero = i + 1 == sigmas.size();
    check(std::isfinite(sigmas[i]) && (sigmas[i] > 0 || (may_be_zero && sigmas[i] == 0)),
          ErrorCode::kUsage, "sigmas: number ", i, " is ", sigmas[i],
          ", needs a finite level above 0 (the last may be 0)");
    check(i == 0 || sigmas[i] != sigmas[i - 1], ErrorCode::kUsage, "sigmas: number ", i,
          " repeats ", sigmas[i], ", needs another level than the one before");
  }
}

}  // namespace tintype
