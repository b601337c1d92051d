#include "sampling/gaussian.h"

#include <algorithm>
#include <vector>

#include "base/error.h"

namespace tintype {
namespace {

// The weight of latents in x at noise level s.
float latent_scale(Prediction prediction, float s) {
  return prediction == Prediction::kFlow ? 1 - s : 1;
}

}  // namespace

Denoise gaussian_denoiser(Prediction prediction, const Array& mean, float var) {
  return [=](const Array& x, float s) {
    const float a = latent_scale(prediction, s), gain = a * var / (a * a * var + s * s);
    const std::span<const float> in = x.values(), m = mean.values();
    TINTYPE_ASSERT(!m.empty() && in.size() % m.size() == 0);
    Array out(x.shape());
    for (size_t i = 0; i < in.size(); ++i) {
      const float centre = m[i % m.size()];
      out.values()[i] = centre + gain * (in[i] - a * centre);
    }
    return out;
  };
}

Trajectory trace(const Sampler& sampler, const Denoise& denoise, const Array& x,
                 std::span<const float> sigmas) {
  check_sigmas(sigmas);
  std::vector<Dim> dims = {static_cast<Dim>(sigmas.size())};
  dims.insert(dims.end(), x.shape().dims().begin(), x.shape().dims().end());
  Array states{Shape(dims)};

  const auto keep = [&](size_t row, const Array& state) {
    std::ranges::copy(state.bytes(), states.bytes().subspan(row * x.bytes().size()).begin());
  };
  keep(0, x);
  Array out = sampler.sample(denoise, x, sigmas, [&](size_t i, const Array& y) { keep(i + 1, y); });
  return {std::move(out), std::move(states)};
}

}  // namespace tintype
