// Defaults and checks: from what was asked to what will be done.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/rounding.h"
#include "formats/checked.h"
#include "pipeline/generate.h"
#include "sampling/noise.h"
#include "sampling/schedules.h"

namespace tintype {
namespace {

constexpr int kMostPixels = 16384;  // along a side

// `modelspec.resolution` of the denoiser's file, "1024x1024", if it is one that we can make.
std::pair<int, int> default_size(const WeightIndex& index, int unit) {
  constexpr std::pair<int, int> kDefault{1024, 1024};
  const auto* text = index.meta<std::string>("modelspec.resolution");
  if (!text) return kDefault;
  const char *const end = text->data() + text->size(), *next = text->data();
  int sides[2] = {};
  for (int& side : sides) {
    next = std::from_chars(next, end, side).ptr;
    if (side <= 0 || side > kMostPixels || side % unit != 0) return kDefault;
    if (next < end && *next == 'x') ++next;
  }
  return next == end ? std::pair(sides[0], sides[1]) : kDefault;
}

void check_side(int side, const char* which, int unit) {
  const int below = side / unit * unit;
  check(side > 0 && side <= kMostPixels, ErrorCode::kUsage, which, " ", side, " is outside ", unit,
        "..", kMostPixels);
  check(side % unit == 0, ErrorCode::kUsage, which, " ", side, " is not a multiple of ", unit,
        "; the nearest are ", std::max(below, unit), " and ", below + unit);
}

// Says which texts are longer than an encoder reads.
void note_cut_texts(const Request& r, const Models& models, std::vector<std::string>& notices) {
  for (const TextPart& part : models.text) {
    const Dim most = part.encoder.model->max_length() - 2;  // between begin and end
    if (most < 0) continue;
    for (const std::string& text : {r.prompt, r.cfg == 1 ? std::string() : r.negative}) {
      const auto tokens = static_cast<Dim>(part.tokenizer->encode(text).ids.size());
      if (tokens > most)
        notices.push_back(concat_text(part.encoder.component.family_name(), " reads the first ",
                                      most, " of ", tokens, " tokens of \"", excerpt(text), "\""));
    }
  }
}

}  // namespace

Settled settle_request(const Request& request, const Models& models) {
  Settled job;
  job.request = request;
  Request& r = job.request;
  const DenoiserSizes sizes = models.denoiser.model->sizes();
  const SamplingDefaults defaults = models.family().defaults(sizes);

  const Dim scale = models.vae.model->scale();
  const int unit = static_cast<int>(scale);
  const auto [width, height] = default_size(*models.denoiser.component.index, unit);
  if (r.width == 0) r.width = width;
  if (r.height == 0) r.height = height;
  check_side(r.width, "width", unit);
  check_side(r.height, "height", unit);
  check(r.t5_length >= 1 && r.t5_length <= kMostT5Length, ErrorCode::kUsage, "t5 length ",
        r.t5_length, " is outside 1..", kMostT5Length);
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

  note_cut_texts(r, models, job.notices);

  const Dim tokens = divide_up(job.latent[2], sizes.patch) * divide_up(job.latent[3], sizes.patch);
  const Shift shift = settle(parse_shift(r.shift), parse_shift(defaults.shift), tokens);
  job.shift = concat_text(shift);
  check(models.family().prediction == Prediction::kFlow, ErrorCode::kMachine, models.family().name,
        ": only flow models are sampled in this version");
  job.sigmas = find_scheduler(r.scheduler)(flow_table(shift), r.steps);
  check_sigmas(job.sigmas);
  job.sampler = &find_sampler(r.sampler);
  find_rng(r.rng);  // refused now, not after encoding
  return job;
}

}  // namespace tintype
