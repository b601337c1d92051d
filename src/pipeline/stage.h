// One stage of a job: a model ready to run on inputs of known shapes, its graph, plan and executor.
#pragma once

#include <memory>

#include "base/cancel.h"
#include "graph/executor.h"
#include "models/family.h"
#include "text/encoder.h"
#include "vae/vae.h"

namespace tintype {

// Where and how stages run, and whether files may hold tensors that nothing asks for.
struct RunSettings {
  const Backend* backend = nullptr;
  DeviceFacts facts;
  DType compute = DType::kF32;
  PlanOptions plan;
  bool strict = false;
};

// Graphs with their doors: [B, C, h, w] outside, [B, h, w, C] inside; f32 outside, activations
// inside. Inputs and outputs are named as in `tintype forward`.
std::unique_ptr<Graph> denoiser_graph(const Denoiser& model, DType compute, const Shape& x,
                                      Dim context_length);
std::unique_ptr<Graph> text_graph(const TextEncoder& model, DType compute, const Shape& tokens);
std::unique_ptr<Graph> decode_graph(const Vae& model, DType compute, const Shape& latent);
std::unique_ptr<Graph> encode_graph(const Vae& model, DType compute, const Shape& image);

// A planned graph. The arena exists while `executor` does.
class Stage {
 public:
  Stage(std::unique_ptr<Graph> graph, const RunSettings& settings);

  const Plan& plan() const { return plan_; }
  // Allocates the arena at the first call.
  Executor& executor();
  // Job and step in one go.
  NamedArrays run(const NamedArrays& inputs, const RunControl& control = {});
  // The first layer whose output is not finite when run on `inputs`; empty if there is none.
  std::string first_bad_layer(const NamedArrays& inputs, const CancelFlag* cancel);

 private:
  std::unique_ptr<Graph> graph_;
  Plan plan_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace tintype
