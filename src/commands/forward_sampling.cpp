#include <algorithm>

#include "base/error.h"
#include "base/nearest_name.h"
#include "commands/forward_parts.h"
#include "commands/numbers.h"
#include "sampling/gaussian.h"
#include "sampling/noise.h"
#include "sampling/schedules.h"

namespace tintype {
namespace {

struct PredictionName {
  std::string_view name;
  Prediction prediction;
};
constexpr PredictionName kPredictions[] = {{"eps", Prediction::kEps}, {"flow", Prediction::kFlow}};

SigmaTable table_for(Prediction prediction, const std::string& shift, const Shape& x) {
  if (prediction == Prediction::kFlow) {
    const Dim tokens = (x[2] + 1) / 2 * ((x[3] + 1) / 2);  // patches of 2 x 2
    return flow_table(settle(parse_shift(shift), kNoShift, tokens));
  }
  const Shift asked = parse_shift(shift);
  check(asked.kind == Shift::Kind::kAuto || asked == kNoShift, ErrorCode::kUsage, "--shift ", shift,
        ": noise levels of eps models are not shifted");
  return eps_table();
}

// Those of --in, which win, or those of the scheduler.
std::vector<float> sigmas_for(const ForwardJob& job, Prediction prediction, const Shape& x) {
  if (!job.in.contains("sigmas"))
    return find_scheduler(job.scheduler)(table_for(prediction, job.shift, x), job.steps);
  const auto given = input_array(job.in, "sigmas", 1).values();
  return {given.begin(), given.end()};
}

// "1,16,64,64"
Shape parse_shape(const std::string& text) {
  std::vector<Dim> dims;
  Dim total = 1;
  for (size_t begin = 0; begin <= text.size() && dims.size() <= kMaxRank;) {
    const size_t end = std::min(text.find(',', begin), text.size());
    Dim dim = 0;
    const bool good = parse_number(std::string_view(text).substr(begin, end - begin), dim) &&
                      dim > 0 && dim <= (Dim{1} << 32) / total;
    check(good, ErrorCode::kUsage, "--shape: \"", text, "\" is not a shape such as 1,16,64,64");
    total *= dim;
    dims.push_back(dim);
    begin = end + 1;
  }
  check(dims.size() <= kMaxRank, ErrorCode::kUsage, "--shape: \"", text, "\" has over ", kMaxRank,
        " axes");
  return Shape(dims);
}

}  // namespace

NamedArrays forward_sampler(const ForwardJob& job) {
  const std::string known[] = {"x", "mean", "var", "sigmas"};
  refuse_unknown_inputs(job.in, known);
  const Prediction prediction =
      find_named("--prediction", job.prediction, std::span<const PredictionName>(kPredictions))
          .prediction;
  const Array& x = input_array(job.in, "x", 4);
  const Array& mean = input_array(job.in, "mean", 3);
  const Array& var = input_array(job.in, "var", 1);
  for (int axis = 0; axis < 3; ++axis)
    check(mean.shape()[axis] == x.shape()[axis + 1], ErrorCode::kUsage, "--in: mean has shape ",
          mean.shape(), ", needs that of one picture of x, ", x.shape());
  check(var.elements() == 1 && var[0] >= 0, ErrorCode::kUsage,
        "--in: var needs one number from 0 up");

  const std::vector<float> sigmas = sigmas_for(job, prediction, x.shape());
  Trajectory run =
      trace(find_sampler(job.sampler), gaussian_denoiser(prediction, mean, var[0]), x, sigmas);
  NamedArrays out;
  out.emplace("out", std::move(run.out));
  out.emplace("trajectory", std::move(run.states));
  out.emplace("sigmas", Array({static_cast<Dim>(sigmas.size())}, sigmas));
  return out;
}

NamedArrays forward_noise(const ForwardJob& job) {
  NamedArrays out;
  out.emplace("noise", find_rng(job.rng).noise(job.seed, parse_shape(job.shape)));
  return out;
}

}  // namespace tintype
