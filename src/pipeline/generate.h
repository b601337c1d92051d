// A request from prompt to pixels: settle, encode, denoise, decode.
#pragma once

#include "pipeline/models.h"
#include "pipeline/stage.h"
#include "sampling/samplers.h"
#include "tintype/engine.h"

namespace tintype {

// A request with nothing left open.
struct Settled {
  Request request;  // every default filled in
  Shape latent;     // [1, C, h, w]
  std::vector<float> sigmas;
  const Sampler* sampler = nullptr;
  std::string shift;    // as it was settled: "mu=1.15"
  bool guided = false;  // classifier-free guidance: two contexts
  std::vector<std::string> notices;
};

// Throws kUsage if the request makes no sense for these models.
Settled settle_request(const Request& request, const Models& models);

// The stages of a job, planned before anything is loaded.
struct JobStages {
  struct Text {
    std::vector<std::vector<int32_t>> tokens;    // of the prompt and, if guided, the negative
    std::vector<std::unique_ptr<Stage>> stages;  // one per token list; equal lengths share one
  };
  std::vector<Text> text;  // as Models::text
  // One for all contexts in one pass, or one each where their lengths differ.
  std::vector<std::unique_ptr<Stage>> denoisers;
  std::unique_ptr<Stage> decoder;
};

JobStages plan_stages(const Models& models, const Settled& job, const RunSettings& settings);

// Seconds and memory that stages took, by component, in JobStages' order: text…, denoiser, vae.
struct Measured {
  std::vector<double> seconds;
  uint64_t anonymous = 0;  // highest
};

// Runs the job. Throws kFailed if a guard trips: a value that is not a number or a text state
// beyond 1e4, naming component and first layer, or a uniform picture.
Array run_job(const Models& models, const Settled& job, JobStages& stages, bool drop_weights,
              const JobControl& control, Measured& measured);

}  // namespace tintype
