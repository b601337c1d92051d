// What the rest of the program knows about an image autoencoder family.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "nn/weights.h"

namespace tintype {

class Vae {
 public:
  virtual ~Vae() = default;
  virtual Dim channels() const = 0;  // of the latent
  virtual Dim scale() const = 0;     // pixels per latent cell along each side
  virtual bool has_encoder() const = 0;
  // Latent in model space [B, h, w, C] -> image [B, H, W, 3], about -1..1, not clamped.
  virtual Tensor decode(Tensor latent) const = 0;
  // Image -> the mean of its latent, in model space.
  virtual Tensor encode(Tensor image) const = 0;
};

struct VaeFamily {
  std::string_view name;  // "kl-16"
  std::vector<NameLayout> layouts;
  std::vector<std::string_view> prefixes;  // beside the empty one
  std::unique_ptr<Vae> (*build)(const Weights& w);
};

extern const VaeFamily kKlVae;

std::span<const VaeFamily* const> vae_families();

}  // namespace tintype
