#include "tintype/engine.h"

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "base/os.h"
#include "engine/settings.h"
#include "image/pixels.h"
#include "pipeline/generate.h"

namespace tintype {
namespace {

// What the process itself takes beside the stages: code, libraries, generated kernels, texts.
constexpr uint64_t kMargin = uint64_t{36} << 20;

// One line of a report, without what a plan adds.
template <class Model>
ComponentReport describe(const Loaded<Model>& part) {
  const Component& c = part.component;
  ComponentReport r;
  r.role = name(c.role);
  r.family = c.family_name();
  r.file = c.index->path();
  r.prefix = c.prefix;
  r.layout = c.layout->name;
  r.header_hash = c.index->header_hash;
  r.file_bytes = c.index->file_bytes();
  r.formats = part.report.formats;
  r.tensors_used = part.report.used;
  r.unused = part.report.unused;
  return r;
}

void add_plan(ComponentReport& r, const Plan& plan) {
  for (const Step& step : plan.steps) ++r.kernels[std::string(step.kernel->id)];
  r.weight_bytes = std::max<uint64_t>(r.weight_bytes, plan.weight_bytes());
  r.arena_bytes += plan.arena_bytes;
  r.prepared_bytes += plan.prepared_bytes;
  r.pinned_bytes = std::max<uint64_t>(r.pinned_bytes, plan.pinned_bytes());
  r.window_bytes = std::max<uint64_t>(r.window_bytes, plan.window_bytes);
}

void add_plans(ComponentReport& r, const std::vector<std::unique_ptr<Stage>>& stages) {
  for (const auto& stage : stages) add_plan(r, stage->plan());
}

std::vector<ComponentReport> describe(const Models& models, const JobStages& stages) {
  std::vector<ComponentReport> out;
  for (size_t i = 0; i < models.text.size(); ++i) {
    out.push_back(describe(models.text[i].encoder));
    out.back().tokenizer = models.text[i].tokenizer->source();
    add_plans(out.back(), stages.text[i].stages);
  }
  out.push_back(describe(models.denoiser));
  out.back().family +=
      concat_text(" (", models.family().defaults(models.denoiser.model->sizes()).variant, ")");
  add_plans(out.back(), stages.denoisers);
  out.push_back(describe(models.vae));
  add_plan(out.back(), stages.decoder->plan());
  return out;
}

}  // namespace

struct Engine::State {
  explicit State(const EngineOptions& o)
      : options(o), settings(run_settings(o)), files(load_mode(o)) {
    const MemoryUse now = memory_use();
    fixed_bytes = now.resident + kMargin;
    own_bytes = now.anonymous + kMargin;
    if (o.budget == 0) return;
    check(o.budget > fixed_bytes, ErrorCode::kMachine, "a budget of ", o.budget >> 20,
          " MiB is too small: the process itself takes ", fixed_bytes >> 20, " MiB");
    settings.plan.budget = o.budget - fixed_bytes;
  }

  // A request with its models and stages.
  struct Prepared {
    Models models;
    Settled job;
    JobStages stages;
    PlanReport report;
  };

  Prepared prepare(const Request& request) {
    Prepared p{pick_models(request, files, settings.strict), {}, {}, {}};
    p.job = settle_request(request, p.models);
    p.stages = plan_stages(p.models, p.job, settings);
    PlanReport& r = p.report;
    r.components = describe(p.models, p.stages);
    r.notices = p.models.notices;
    r.notices.insert(r.notices.end(), p.job.notices.begin(), p.job.notices.end());
    r.compute = name(settings.compute);
    r.isa = name(settings.facts.isa);
    r.width = p.job.request.width;
    r.height = p.job.request.height;
    r.steps = static_cast<int>(p.job.sigmas.size()) - 1;
    r.shift = p.job.shift;
    r.guidance = p.job.request.guidance;
    add_memory(r);
    return p;
  }

  void add_memory(PlanReport& r) const {
    r.fixed_bytes = fixed_bytes;
    uint64_t values = 0, all = 0, kept = 0;
    for (const ComponentReport& c : r.components) {
      values = std::max(values, c.arena_bytes + c.prepared_bytes);
      // without a budget the weights of earlier stages stay in memory
      kept = options.budget == 0 ? kept + c.pinned_bytes : c.pinned_bytes + c.window_bytes;
      all = std::max(all, c.arena_bytes + c.prepared_bytes + kept);
      if (c.role == "denoiser") r.streamed_bytes = c.weight_bytes - c.pinned_bytes;
    }
    r.anonymous_bytes = own_bytes + values;
    r.peak_bytes = fixed_bytes + all;
  }

  EngineOptions options;
  RunSettings settings;
  FileCache files;
  uint64_t fixed_bytes = 0, own_bytes = 0;  // of the process itself: all, and without files
};

Engine::Engine(const EngineOptions& options) : state_(std::make_unique<State>(options)) {}
Engine::~Engine() = default;

PlanReport Engine::plan(const Request& request) { return state_->prepare(request).report; }

Result Engine::generate(const Request& request, const JobControl& control) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  State::Prepared p = state_->prepare(request);
  if (control.on_event)
    for (const std::string& notice : p.report.notices)
      control.on_event({.kind = Event::Kind::kNotice, .stage = "load", .text = notice});

  Measured measured;
  const Array image =
      run_job(p.models, p.job, p.stages, state_->options.budget > 0, control, measured);
  Result out{to_pixels(image), std::move(p.report), std::move(p.job.request)};
  for (size_t i = 0; i < measured.seconds.size(); ++i)
    out.report.components[i].seconds = measured.seconds[i];
  out.peak_anonymous = measured.anonymous;
  out.peak_resident = memory_use().peak;
  out.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return out;
}

}  // namespace tintype
