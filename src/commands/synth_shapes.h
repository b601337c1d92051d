// Names and shapes of whole models, as their public checkpoints have them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nn/key_map.h"
#include "tensor/shape.h"

namespace tintype {

struct SynthTensor {
  std::string name;
  Shape shape;
  float mean = 0, sigma = 0;
  bool in_block = false;  // a matrix of a repeated block: what quantised files quantise
};

// Sizes of a model; 0 means the size of the family's public checkpoint.
struct SynthSizes {
  int blocks = 0, single_blocks = 0;
  Dim hidden = 0;
  bool guidance = false;  // distilled guidance, as FLUX.1 dev has it
};

struct SynthFamily {
  std::string_view name, description;
  std::vector<SynthTensor> (*tensors)(const SynthSizes& sizes);
  // From these names to those of GGUF files; no rules where they are the same.
  std::span<const KeyRule> (*gguf_names)() = [] { return std::span<const KeyRule>(); };
};

// The tensors as a GGUF file of the family names them.
std::vector<SynthTensor> gguf_tensors(const SynthFamily& family, const SynthSizes& sizes);

std::span<const SynthFamily> synth_families();

}  // namespace tintype
