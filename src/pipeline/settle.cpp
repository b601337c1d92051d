// Defaults and checks: from what was asked to what will be done.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/error.h"
#include "pipeline/generate.h"
#include "sampling/noise.h"
#include "sampling/schedules.h"

namespace tintype {
namespace {

constexpr int kMostPixels = 16384;  // along a side

// `modelspec.resolution` of the denoiser's file, "1024x1024"; zeros if there is none.
std::pair<int, int> resolution_in(const WeightIndex& index) {
  int width = 0, height = 0;
  if (const auto* text = index.meta<std::string>("modelspec.resolution"))
    if (std::sscanf(text->c_str(), "%dx%d", &width, &height) != 2) width = height = 0;
  return {width, height};
}

void settle_side(int& side, int stated, const char* which, Dim multiple) {
  constexpr int kDefault = 1024;
  if (side == 0) side = stated > 0 ? stated : kDefault;
  const int unit = static_cast<int>(multiple), below = side / unit * unit;
  check(side > 0 && side <= kMostPixels, ErrorCode::kUsage, which, " ", side, " is outside ", unit,
        "..", kMostPixels);
  check(side % unit == 0, ErrorCode::kUsage, which, " ", side, " is not a multiple of ", unit,
        "; the nearest are ", std::max(below, unit), " and ", below + unit);
}

}  // namespace

Settled settle_request(const Request& request, const Models& models) {
  Settled job;
  job.request = request;
  Request& r = job.request;
  const DenoiserSizes sizes = models.denoiser.model->sizes();
  const SamplingDefaults defaults = models.family().defaults(sizes);

  const auto [width, height] = resolution_in(*models.denoiser.component.index);
  const Dim scale = models.vae.model->scale();
  settle_side(r.width, width, "width", scale);
  settle_side(r.height, height, "height", scale);
  if (r.steps == 0) r.steps = defaults.steps;
  job.latent = Shape{1, sizes.channels, r.height / scale, r.width / scale};

  if (r.guidance > 0 && !sizes.guidance)
    job.notices.push_back(concat_text("guidance ", r.guidance,
                                      " has no effect: ", models.denoiser.component.index->path(),
                                      " has no distilled guidance"));
  if (r.guidance < 0) r.guidance = defaults.guidance;
  check(std::isfinite(r.cfg) && std::isfinite(r.guidance), ErrorCode::kUsage,
        "cfg and guidance must be finite numbers");
  job.guided = r.cfg != 1;
  if (!job.guided && !r.negative.empty())
    job.notices.push_back("the negative prompt has no effect at cfg 1");

  const Dim tokens = ((job.latent[2] + 1) / 2) * ((job.latent[3] + 1) / 2);
  const Shift shift = settle(parse_shift(r.shift), parse_shift(defaults.shift), tokens);
  job.shift = concat_text(shift);
  const SigmaTable table =
      models.family().prediction == Prediction::kFlow ? flow_table(shift) : eps_table();
  job.sigmas = find_scheduler(r.scheduler)(table, r.steps);
  job.sampler = &find_sampler(r.sampler);
  find_rng(r.rng);  // refused now, not after encoding
  return job;
}

}  // namespace tintype
