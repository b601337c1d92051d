#include "pipeline/generate.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/error.h"
#include "base/os.h"
#include "sampling/guidance.h"
#include "sampling/noise.h"

namespace tintype {
namespace {

constexpr float kMostText = 1e4f;  // text states beyond this are a broken encoder

double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

// The running job: who is told, who may stop it, and what it has taken so far.
class Job {
 public:
  Job(const Models& models, const Settled& job, JobStages& stages, bool drop_weights,
      const JobControl& control, Measured& measured)
      : models_(models),
        job_(job),
        stages_(stages),
        drop_weights_(drop_weights),
        control_(control),
        measured_(measured) {}

  Array run() {
    encode();
    Array latent = denoise();
    return decode(std::move(latent));
  }

 private:
  // ---- stages ----

  void encode() {
    for (size_t i = 0; i < models_.text.size(); ++i) {
      const TextPart& part = models_.text[i];
      begin("encode", part.encoder.component.family_name());
      JobStages::Text& text = stages_.text[i];
      for (size_t k = 0; k < text.tokens.size(); ++k) {
        Stage& stage = *text.stages[std::min(k, text.stages.size() - 1)];
        NamedArrays in{{"tokens", as_array(text.tokens[k])}};
        NamedArrays out = stage.run(in, watched());
        guard(out.at("hidden"), stage, in, kMostText);
        if (i == 0) context_.push_back(std::move(out.at("hidden")));
        if (out.contains("pooled") && i + 1 == models_.text.size())
          pooled_.push_back(std::move(out.at("pooled")));
      }
      finish(part.encoder.binding.get());
      text.stages.clear();
    }
  }

  Array denoise() {
    begin("denoise", models_.denoiser.component.family_name());
    const Array noise = find_rng(job_.request.rng).noise(job_.request.seed, job_.latent);
    Array x = flow_start(noise, Array(job_.latent), job_.sigmas[0]);
    steps_ = static_cast<int>(job_.sigmas.size()) - 1;
    calls_ = 0;
    all_calls_ = std::max(1, evaluations(*job_.sampler, job_.sigmas)) *
                 static_cast<int>(stages_.denoisers.size());
    const size_t each = context_.size() / stages_.denoisers.size();
    for (size_t i = 0; i < stages_.denoisers.size(); ++i) {
      conditions_.push_back(conditions(i * each, each));
      stages_.denoisers[i]->executor().begin_job(conditions_[i], quiet());
    }
    x = job_.sampler->sample([&](const Array& at, float sigma) { return denoised(at, sigma); },
                             std::move(x), job_.sigmas,
                             [&](size_t step, const Array&) {
                               step_ = static_cast<int>(step) + 1;
                               tell_progress(static_cast<double>(step_) / steps_);
                             });
    finish(models_.denoiser.binding.get());
    stages_.denoisers.clear();
    return x;
  }

  Array decode(Array latent) {
    begin("decode", models_.vae.component.family_name());
    const NamedArrays in{{"latent", std::move(latent)}};
    NamedArrays out = stages_.decoder->run(in, watched());
    Array image = std::move(out.at("image"));
    guard(image, *stages_.decoder, in, INFINITY);
    const auto [low, high] = std::ranges::minmax(image.values());
    check(high - low > 1e-3f, ErrorCode::kFailed, "the picture is uniform: every value is about ",
          low, "; the latent or the VAE is broken");
    finish(models_.vae.binding.get());
    stages_.decoder.reset();
    return image;
  }

  // ---- the denoiser ----

  // What the denoiser is told about contexts [first, first + count), as one batch.
  NamedArrays conditions(size_t first, size_t count) const {
    NamedArrays in{{"context", stacked(context_, first, count)}};
    if (!pooled_.empty()) in.emplace("y", stacked(pooled_, first, count));
    if (models_.denoiser.model->sizes().guidance)
      in.emplace("guidance", filled({static_cast<Dim>(count)}, job_.request.guidance));
    return in;
  }

  Array denoised(const Array& x, float sigma) {
    const std::vector<Array> v = predict(x, sigma);
    const Array velocity =
        job_.guided ? guide(v[0], v[1], static_cast<float>(job_.request.cfg)) : v[0];
    return flow_denoised(x, velocity, sigma);
  }

  // One prediction per context.
  std::vector<Array> predict(const Array& x, float sigma) {
    std::vector<Array> parts;
    const size_t batch = context_.size() / stages_.denoisers.size();
    const std::vector<Array> copies(batch, x);
    const NamedArrays in{{"x", stacked(copies, 0, batch)},
                         {"timestep", filled({static_cast<Dim>(batch)}, sigma)}};
    for (size_t i = 0; i < stages_.denoisers.size(); ++i) {
      ++calls_;
      const Array out = stages_.denoisers[i]->executor().run(in, watched()).at("out");
      NamedArrays all = in;
      all.insert(conditions_[i].begin(), conditions_[i].end());
      guard(out, *stages_.denoisers[i], all, INFINITY);
      const auto each = static_cast<size_t>(job_.latent.elements());
      for (size_t k = 0; k < batch; ++k)
        parts.emplace_back(job_.latent, out.values().subspan(k * each, each));
    }
    return parts;
  }

  // ---- arrays ----

  static Array as_array(const std::vector<int32_t>& tokens) {
    Array out({1, static_cast<Dim>(tokens.size())}, DType::kI32);
    std::ranges::copy(tokens, out.values<int32_t>().begin());
    return out;
  }

  static Array filled(const Shape& shape, double value) {
    Array out(shape);
    std::ranges::fill(out.values(), static_cast<float>(value));
    return out;
  }

  // Arrays [1, ...] below each other.
  static Array stacked(const std::vector<Array>& arrays, size_t first, size_t count) {
    Shape shape = arrays[first].shape();
    shape[0] = static_cast<Dim>(count);
    Array out(shape);
    auto to = out.values().begin();
    for (size_t i = first; i < first + count; ++i)
      to = std::ranges::copy(arrays[i].values(), to).out;
    return out;
  }

  // ---- watching ----

  void begin(std::string_view stage, std::string_view component) {
    stage_ = stage;
    component_ = component;
    calls_ = all_calls_ = 1;
    step_ = steps_ = 0;
    started_ = now();
    if (control_.crumb) {
      set_crumb(control_.crumb->stage, stage);
      set_crumb(control_.crumb->component, component);
    }
    tell({.kind = Event::Kind::kStage, .stage = stage_, .text = component_});
  }

  void finish(const Binding* binding) {
    measured_.seconds.push_back(now() - started_);
    measured_.anonymous = std::max(measured_.anonymous, memory_use().anonymous);
    if (!drop_weights_) return;
    for (const Parameter* p : binding->used())
      for (const tintype::Part& part : p->parts) advise_unneeded(part.bytes);
  }

  void tell(const Event& event) const {
    if (control_.on_event) control_.on_event(event);
  }

  void tell_progress(double fraction) const {
    tell({.kind = Event::Kind::kProgress,
          .stage = stage_,
          .text = {},
          .step = step_,
          .steps = steps_,
          .fraction = fraction});
  }

  RunControl quiet() const { return {.crumb = control_.crumb, .cancel = control_.cancel}; }

  RunControl watched() const {
    RunControl control = quiet();
    control.progress = [this](double share) { tell_progress((calls_ - 1 + share) / all_calls_); };
    return control;
  }

  // Fails the job if `values` are not all finite and within `limit`.
  void guard(const Array& values, Stage& stage, const NamedArrays& in, float limit) const {
    const bool good = std::ranges::all_of(
        values.values(), [&](float v) { return std::isfinite(v) && std::fabs(v) <= limit; });
    if (good) return;
    // values inside an encoder may go beyond the limit and come back
    const std::string layer = stage.first_bad_layer(in, control_.cancel);
    fail(ErrorCode::kFailed, component_, ": its output is ",
         limit == kMostText ? "not finite or beyond 1e4" : "not finite",
         layer.empty() ? "" : ", first at ", layer, "; the file is damaged or unsuited");
  }

  const Models& models_;
  const Settled& job_;
  JobStages& stages_;
  bool drop_weights_;
  const JobControl& control_;
  Measured& measured_;
  std::vector<Array> context_, pooled_;  // of the prompt and, if guided, the negative
  std::vector<NamedArrays> conditions_;  // by denoiser stage
  std::string stage_, component_;
  int calls_ = 1, all_calls_ = 1;  // of the model in this stage
  int step_ = 0, steps_ = 0;       // done, and all; while denoising
  double started_ = 0;
};

using Graphs = std::vector<std::unique_ptr<Graph>>;

// Stages of one model that live at the same time: they share the budget, for their weights are the
// same, but each has an arena.
std::vector<std::unique_ptr<Stage>> stages_together(Graphs graphs, RunSettings settings) {
  size_t others = 0;  // bytes of arenas beside a stage's own
  if (graphs.size() > 1 && settings.plan.budget > 0) {
    RunSettings free = settings;
    free.plan.budget = 0;
    for (const auto& graph : graphs)
      others =
          std::max(others, make_plan(*graph, *free.backend, free.facts, free.plan).arena_bytes);
    settings.plan.budget -= std::min(settings.plan.budget - 1, others * (graphs.size() - 1));
  }
  std::vector<std::unique_ptr<Stage>> stages;
  for (auto& graph : graphs) stages.push_back(std::make_unique<Stage>(std::move(graph), settings));
  return stages;
}

std::vector<Dim> lengths(const std::vector<std::vector<int32_t>>& tokens) {
  std::vector<Dim> out;
  for (const auto& list : tokens) out.push_back(static_cast<Dim>(list.size()));
  return out;
}

// The one or two lengths without repeats.
std::vector<Dim> different(std::vector<Dim> all) {
  if (all.size() == 2 && all[0] == all[1]) all.pop_back();
  return all;
}

}  // namespace

JobStages plan_stages(const Models& models, const Settled& job, const RunSettings& settings) {
  JobStages out;
  const Request& r = job.request;
  std::vector<std::string> prompts{r.prompt};
  if (job.guided) prompts.push_back(r.negative);
  for (const TextPart& part : models.text) {
    const TextEncoder& encoder = *part.encoder.model;
    const Dim length = encoder.max_length() > 0 ? encoder.max_length() : r.t5_length;
    JobStages::Text& text = out.text.emplace_back();
    for (const std::string& prompt : prompts)
      text.tokens.push_back(part.tokenizer->frame(prompt, length));
    Graphs graphs;
    for (const Dim tokens : different(lengths(text.tokens)))
      graphs.push_back(text_graph(encoder, settings.compute, {1, tokens}));
    text.stages = stages_together(std::move(graphs), settings);
  }

  const std::vector<Dim> contexts = lengths(out.text.front().tokens);
  Shape x = job.latent;
  if (different(contexts).size() < contexts.size()) x[0] = static_cast<Dim>(contexts.size());
  Graphs graphs;
  for (const Dim length : different(contexts))
    graphs.push_back(denoiser_graph(*models.denoiser.model, settings.compute, x, length));
  out.denoisers = stages_together(std::move(graphs), settings);
  out.decoder = std::make_unique<Stage>(
      decode_graph(*models.vae.model, settings.compute, job.latent), settings);
  return out;
}

Array run_job(const Models& models, const Settled& job, JobStages& stages, bool drop_weights,
              const JobControl& control, Measured& measured) {
  return Job(models, job, stages, drop_weights, control, measured).run();
}

}  // namespace tintype
