// The parts of a model, or of the sampling, that `tintype forward` runs on given tensors.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/stage.h"
#include "tensor/array.h"

namespace tintype {

// What was asked for; each part reads what concerns it.
struct ForwardJob {
  std::vector<std::string> files;
  NamedArrays in;
  std::string choice;  // after the colon of "text-encoder:t5xxl"
  std::string layer, text;
  bool has_text = false;  // which stands for the input
  int t5_length = 256;
  bool quiet = false;
  std::string sampler = "euler", scheduler = "simple", shift = "auto", prediction;
  int steps = 20;
  std::string shape, rng = "cpu";
  uint64_t seed = 0;

  RunSettings run;
  LoadMode load = LoadMode::kMap;
  RunControl control;
};

struct ForwardPart {
  std::string_view name, description;
  bool takes_files = true, takes_in = true;
  NamedArrays (*run)(const ForwardJob& job);
};

// Models: denoiser, text-encoder, vae-decode, vae-encode.
NamedArrays forward_denoiser(const ForwardJob& job);
NamedArrays forward_text_encoder(const ForwardJob& job);
NamedArrays forward_vae_decode(const ForwardJob& job);
NamedArrays forward_vae_encode(const ForwardJob& job);
// Single layers of any weight file.
NamedArrays forward_linear(const ForwardJob& job);
NamedArrays forward_weight(const ForwardJob& job);
// Without a file.
NamedArrays forward_sampler(const ForwardJob& job);
NamedArrays forward_noise(const ForwardJob& job);

// ---- inputs; all throw kUsage naming the tensor ----

// The f32 tensor `name`, which has `rank` axes, none of them empty.
const Array& input_array(const NamedArrays& in, const std::string& name, int rank);
// Every tensor is one of `known`.
void refuse_unknown_inputs(const NamedArrays& in, std::span<const std::string> known);
// The tensors are exactly the inputs of the graph, in type and shape.
void check_inputs(const NamedArrays& in, const Graph& graph);

// Plans a graph and runs it once.
NamedArrays run_graph(std::unique_ptr<Graph> graph, const NamedArrays& in, const ForwardJob& job);

}  // namespace tintype
