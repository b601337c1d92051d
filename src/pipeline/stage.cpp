#include "pipeline/stage.h"

#include <cmath>

#include "graph/ops.h"

namespace tintype {
namespace {

// [B, C, h, w] f32 outside <-> [B, h, w, C] as activations inside.
Tensor enter(Tensor image) {
  return cast(permute(image, {0, 2, 3, 1}), image.graph().activation());
}
Tensor leave(Tensor image) { return permute(image, {0, 3, 1, 2}); }

std::unique_ptr<Graph> vae_graph(const Vae& model, DType compute, const Shape& shape,
                                 const char* from, const char* to,
                                 Tensor (Vae::*run)(Tensor) const) {
  auto graph = std::make_unique<Graph>(compute);
  const Tensor in = graph->input(from, shape, DType::kF32, Rate::kStep);
  graph->output(to, leave((model.*run)(enter(in))));
  return graph;
}

// Whether all elements are finite numbers, in whatever layout.
template <class T>
bool all_finite(const View& v) {
  Dim outer = 1;
  for (int i = 0; i + 1 < v.shape().rank(); ++i) outer *= v.dim(i);
  for (Dim row = 0; row < outer; ++row) {
    Dim offset = 0, left = row;
    for (int i = v.shape().rank() - 2; i >= 0; --i) {
      offset += left % v.dim(i) * v.stride(i);
      left /= v.dim(i);
    }
    for (Dim c = 0; c < v.dim(-1); ++c)
      if (!std::isfinite(static_cast<float>(v.as<T>()[offset + c * v.stride(-1)]))) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<Graph> denoiser_graph(const Denoiser& model, DType compute, const Shape& x,
                                      Dim context_length) {
  const DenoiserSizes sizes = model.sizes();
  const Dim batch = x[0];
  auto graph = std::make_unique<Graph>(compute);
  const auto input = [&](const char* name, const Shape& shape, Rate rate) {
    return graph->input(name, shape, DType::kF32, rate);
  };
  Inputs in;
  in.add("x", enter(input("x", x, Rate::kStep)));
  in.add("timestep", input("timestep", {batch}, Rate::kStep));
  in.add("context",
         cast(input("context", {batch, context_length, sizes.context}, Rate::kJob), compute));
  if (sizes.pooled > 0) in.add("y", cast(input("y", {batch, sizes.pooled}, Rate::kJob), compute));
  if (sizes.guidance) in.add("guidance", input("guidance", {batch}, Rate::kJob));
  graph->output("out", leave(model.forward(in)));
  return graph;
}

std::unique_ptr<Graph> text_graph(const TextEncoder& model, DType compute, const Shape& tokens) {
  auto graph = std::make_unique<Graph>(compute);
  const Encoded out = model.forward(graph->input("tokens", tokens, DType::kI32, Rate::kStep));
  graph->output("hidden", out.hidden);
  if (out.pooled) graph->output("pooled", out.pooled);
  return graph;
}

std::unique_ptr<Graph> decode_graph(const Vae& model, DType compute, const Shape& latent) {
  return vae_graph(model, compute, latent, "latent", "image", &Vae::decode);
}

std::unique_ptr<Graph> encode_graph(const Vae& model, DType compute, const Shape& image) {
  return vae_graph(model, compute, image, "image", "latent", &Vae::encode);
}

Stage::Stage(std::unique_ptr<Graph> graph, const RunSettings& settings)
    : graph_(std::move(graph)),
      plan_(make_plan(*graph_, *settings.backend, settings.facts, settings.plan)) {}

Executor& Stage::executor() {
  if (!executor_) executor_ = std::make_unique<Executor>(plan_);
  return *executor_;
}

NamedArrays Stage::run(const NamedArrays& inputs, const RunControl& control) {
  executor().begin_job(inputs, control);
  return executor().run(inputs, control);
}

std::string Stage::first_bad_layer(const NamedArrays& inputs, const CancelFlag* cancel) {
  std::string found;
  RunControl watch;
  watch.cancel = cancel;
  watch.after_step = [&](const Step& step) {
    for (const Value& value : step.out) {
      if (!found.empty() || !is_float(value.dtype)) continue;
      const View v = executor().view(value);
      const bool good = dispatch_float(value.dtype, [&]<class T>(T) { return all_finite<T>(v); });
      if (!good) found = concat_text(step.node->layer, " (", name(step.node->op), ")");
    }
  };
  run(inputs, watch);
  return found;
}

}  // namespace tintype
