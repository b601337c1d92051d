// How a vector, of time and whatever else is told to a whole picture, steers transformer blocks:
// adaLN of Peebles & Xie 2023.
#pragma once

#include <array>

#include "nn/layers.h"

namespace tintype {

// Makes such a vector: [B, in()] -> [B, C].
class MlpEmbedder {
 public:
  explicit MlpEmbedder(const Weights& w)
      : in_layer_(w.at("in_layer")), out_layer_(w.at("out_layer")) {}
  Tensor operator()(Tensor x) const { return out_layer_(silu(in_layer_(x))); }
  Dim in() const { return in_layer_.in(); }

 private:
  Linear in_layer_, out_layer_;
};

// Shift, scale and gate that the vector asks of one sublayer; each [B, 1, C].
struct Modulation {
  Tensor shift, scale, gate;

  Tensor apply(Tensor x, float eps) const { return layer_norm(x, eps) * (1.0f + scale) + shift; }
};

// Those of N sublayers, of `lin` [3 N C, C].
template <size_t N>
std::array<Modulation, N> modulations(const Linear& lin, Tensor vec) {
  const Tensor all = lin(silu(vec));  // [B, 3 N C]
  const auto parts = chunk<3 * N>(reshape(all, {all.dim(0), 1, all.dim(1)}), 2);
  std::array<Modulation, N> out;
  for (size_t i = 0; i < N; ++i) out[i] = {parts[3 * i], parts[3 * i + 1], parts[3 * i + 2]};
  return out;
}

}  // namespace tintype
