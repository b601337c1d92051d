// What the rest of the program knows about a denoiser family: data, no code paths.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nn/inputs.h"
#include "nn/weights.h"
#include "tensor/prediction.h"

namespace tintype {

// Sizes that one checkpoint of a family has, read from its shapes.
struct DenoiserSizes {
  Dim channels = 0;       // of the latent
  Dim context = 0;        // width of the text states
  Dim pooled = 0;         // width of the pooled text state; 0: none
  Dim patch = 1;          // latent cells along the side of an image token
  bool guidance = false;  // takes distilled guidance
};

class Denoiser {
 public:
  virtual ~Denoiser() = default;
  virtual DenoiserSizes sizes() const = 0;
  // Inputs: x [B, h, w, C], timestep f32 [B] (flow: sigma), context [B, L, D], y [B, P], guidance
  // f32 [B]; floats as activations. -> [B, h, w, C], what the family predicts.
  virtual Tensor forward(const Inputs& in) const = 0;
};

// What suits one variant of a family.
struct SamplingDefaults {
  std::string_view variant;         // "dev"
  std::string_view shift = "none";  // as --shift
  int steps = 20;
  double guidance = 0;
};

struct Family {
  std::string_view name;  // "flux.1"
  std::vector<NameLayout> layouts;
  // Throws kBadFile with the right name if the tensors belong to a relative of this family that its
  // shapes tell; those that names tell are in pipeline/strangers.cpp.
  void (*refuse_look_alikes)(const Weights& w, const std::string& path);
  std::unique_ptr<Denoiser> (*build)(const Weights& w);
  Prediction prediction = Prediction::kFlow;
  std::vector<std::string_view>
      text_encoders;  // names of text families: context first, pooled last
  std::string_view vae;
  SamplingDefaults (*defaults)(const DenoiserSizes& sizes);
};

}  // namespace tintype
