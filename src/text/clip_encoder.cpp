// CLIP text encoders (Radford et al. 2021) in Hugging Face's names, transformers' CLIPTextModel.
//
//   tokens [B, L] -> token_embedding + position_embedding -> encoder.layers -> final_layer_norm
//   pooled = the state at the first largest token id, which is the end-of-text token
#include <cmath>

#include "base/error.h"
#include "nn/layers.h"
#include "text/clip_tokenizer.h"
#include "text/encoder.h"

namespace tintype {
namespace {

constexpr float kEps = 1e-5f;
constexpr Dim kHead = 64;

class Layer {
 public:
  Layer(const Weights& w, Tensor (*activation)(Tensor))
      : norm1_(w.at("layer_norm1"), kEps),
        norm2_(w.at("layer_norm2"), kEps),
        q_(w.at("self_attn.q_proj")),
        k_(w.at("self_attn.k_proj")),
        v_(w.at("self_attn.v_proj")),
        out_(w.at("self_attn.out_proj")),
        fc1_(w.at("mlp.fc1")),
        fc2_(w.at("mlp.fc2")),
        activation_(activation) {}

  Tensor operator()(Tensor x) const {
    const Tensor n = norm1_(x);
    const Tensor seen =
        attend(split_heads(q_(n), kHead), split_heads(k_(n), kHead), split_heads(v_(n), kHead),
               {.scale = 1.0f / std::sqrt(static_cast<float>(kHead)), .causal = true});
    x = x + out_(join_heads(seen));
    return x + fc2_(activation_(fc1_(norm2_(x))));
  }

 private:
  LayerNorm norm1_, norm2_;
  Linear q_, k_, v_, out_, fc1_, fc2_;
  Tensor (*activation_)(Tensor);
};

class ClipEncoder final : public TextEncoder {
 public:
  explicit ClipEncoder(const Weights& w)
      : tokens_(w.at("embeddings.token_embedding")),
        positions_(w.at("embeddings.position_embedding").rows()),
        length_(Embedding(w.at("embeddings.position_embedding")).rows()),
        final_norm_(w.at("final_layer_norm"), kEps) {
    check(length_ >= 2, ErrorCode::kBadFile, w.where(), " has ", length_,
          " positions, needs room for begin and end");
    check(width() % kHead == 0, ErrorCode::kBadFile, w.where(), " is ", width(),
          " wide, needs a multiple of ", kHead);
    // OpenCLIP's H (1024) and bigG (1280) were trained with the exact GELU
    const bool exact = width() == 1024 || width() == 1280;
    const int count = w.count("encoder.layers", {"mlp.fc1", "mlp.fc2"});
    for (int i = 0; i < count; ++i)
      layers_.emplace_back(w.at("encoder.layers", i), exact ? gelu_erf : quick_gelu);
  }

  Dim width() const override { return tokens_.width(); }
  Dim rows() const override { return tokens_.rows(); }
  Dim max_length() const override { return length_; }

  Encoded forward(Tensor tokens) const override {
    const Dim length = tokens.dim(1);
    check(length <= length_, ErrorCode::kUsage, "tokens: there are ", length, ", CLIP takes up to ",
          length_);
    std::vector<RowSlice> seen = positions_;
    seen[0].rows = length;
    Tensor x =
        tokens_(tokens) + weight(tokens.graph(), seen, {length, width()}, "position_embedding");
    for (const Layer& layer : layers_) x = layer(x);
    x = final_norm_(x);
    return {x, take_rows(x, argmax(tokens))};
  }

 private:
  Embedding tokens_;
  std::vector<RowSlice> positions_;
  Dim length_;
  std::vector<Layer> layers_;
  LayerNorm final_norm_;
};

}  // namespace

const TextFamily kClipL{
    .name = "clip_l",
    .layouts = {{.name = "hugging face",
                 .needs = {"embeddings.token_embedding.weight",
                           "encoder.layers.0.self_attn.q_proj.weight"},
                 .rules = {},
                 .ignored = {"text_projection", "logit_scale", "vision_model.", "visual_projection",
                             "embeddings.position_ids"}}},
    .option = "--clip",
    .prefixes = {"text_model.", "text_encoders.clip_l.transformer.text_model.",
                 "text_encoders.clip_l.transformer.", "text_encoders.clip_l.text_model.",
                 "text_encoders.clip_l.", "cond_stage_model.transformer.text_model.",
                 "cond_stage_model.transformer.", "conditioner.embedders.0.transformer.text_model.",
                 "text_encoder.text_model.", "text_encoder."},
    .build = [](const Weights& w) -> std::unique_ptr<TextEncoder> {
      return std::make_unique<ClipEncoder>(w);
    },
    .tokenizer = [](const WeightIndex&, Dim rows) { return clip_tokenizer(rows); },
};

}  // namespace tintype
