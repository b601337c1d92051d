#include "commands/synth_shapes.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "text/encoder.h"

namespace tintype {
namespace {

constexpr float kSigma = 0.02f;  // of weights: keeps activations of any depth finite

// Collects tensors below a module name.
class Builder {
 public:
  // y = x W^T + b
  void linear(const std::string& module, Dim out, Dim in, bool bias, bool in_block) {
    add(module + ".weight", {out, in}, 0, in_block);
    if (bias) add(module + ".bias", {out}, 0);
  }
  void conv(const std::string& module, Dim out, Dim in, Dim side) {
    add(module + ".weight", {out, in, side, side}, 0);
    add(module + ".bias", {out}, 0);
  }
  void table(const std::string& name, Dim rows, Dim columns) { add(name, {rows, columns}, 0); }
  void scale(const std::string& name, Dim size) { add(name, {size}, 1); }
  void norm(const std::string& module, Dim size) {
    scale(module + ".weight", size);
    add(module + ".bias", {size}, 0);
  }

  std::vector<SynthTensor> take() { return std::move(tensors_); }

 private:
  void add(const std::string& name, const Shape& shape, float mean, bool in_block = false) {
    tensors_.push_back({name, shape, mean, kSigma, in_block});
  }
  std::vector<SynthTensor> tensors_;
};

Dim or_default(Dim value, Dim usual, Dim multiple) {
  if (value == 0) return usual;
  constexpr Dim kMost = 1 << 16;
  check(value > 0 && value <= kMost && value % multiple == 0, ErrorCode::kUsage, "--hidden: has ",
        value, ", needs a multiple of ", multiple, " up to ", kMost);
  return value;
}

// ---- FLUX.1 ----

void flux_embedder(Builder& b, const std::string& module, Dim hidden, Dim in) {
  b.linear(module + ".in_layer", hidden, in, true, false);
  b.linear(module + ".out_layer", hidden, hidden, true, false);
}

void flux_qk_norm(Builder& b, const std::string& module) {
  b.scale(module + ".query_norm.scale", 128);
  b.scale(module + ".key_norm.scale", 128);
}

void flux_stream(Builder& b, const std::string& side, Dim hidden) {
  b.linear(side + "_mod.lin", 6 * hidden, hidden, true, true);
  b.linear(side + "_attn.qkv", 3 * hidden, hidden, true, true);
  flux_qk_norm(b, side + "_attn.norm");
  b.linear(side + "_attn.proj", hidden, hidden, true, true);
  b.linear(side + "_mlp.0", 4 * hidden, hidden, true, true);
  b.linear(side + "_mlp.2", hidden, 4 * hidden, true, true);
}

std::vector<SynthTensor> flux1(const SynthSizes& sizes) {
  const Dim hidden = or_default(sizes.hidden, 3072, 128), patch = 64;
  Builder b;
  b.linear("img_in", hidden, patch, true, false);
  b.linear("txt_in", hidden, 4096, true, false);
  flux_embedder(b, "time_in", hidden, 256);
  flux_embedder(b, "vector_in", hidden, 768);
  if (sizes.guidance) flux_embedder(b, "guidance_in", hidden, 256);
  for (int i = 0; i < (sizes.blocks > 0 ? sizes.blocks : 19); ++i)
    for (const char* side : {"img", "txt"})
      flux_stream(b, concat_text("double_blocks.", i, ".", side), hidden);
  for (int i = 0; i < (sizes.single_blocks > 0 ? sizes.single_blocks : 38); ++i) {
    const std::string block = concat_text("single_blocks.", i);
    b.linear(block + ".modulation.lin", 3 * hidden, hidden, true, true);
    b.linear(block + ".linear1", 7 * hidden, hidden, true, true);
    flux_qk_norm(b, block + ".norm");
    b.linear(block + ".linear2", hidden, 5 * hidden, true, true);
  }
  b.linear("final_layer.linear", patch, hidden, true, false);
  b.linear("final_layer.adaLN_modulation.1", 2 * hidden, hidden, true, false);
  return b.take();
}

// ---- text encoders ----

std::vector<SynthTensor> t5xxl(const SynthSizes& sizes) {
  const Dim hidden = or_default(sizes.hidden, 4096, 64), inner = hidden * 5 / 2;
  Builder b;
  b.table("shared.weight", 32128, hidden);
  b.table("encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", 32, hidden / 64);
  for (int i = 0; i < (sizes.blocks > 0 ? sizes.blocks : 24); ++i) {
    const std::string attention = concat_text("encoder.block.", i, ".layer.0.");
    const std::string dense = concat_text("encoder.block.", i, ".layer.1.");
    b.scale(attention + "layer_norm.weight", hidden);
    for (const char* name : {"q", "k", "v", "o"})
      b.linear(attention + "SelfAttention." + name, hidden, hidden, false, true);
    b.scale(dense + "layer_norm.weight", hidden);
    b.linear(dense + "DenseReluDense.wi_0", inner, hidden, false, true);
    b.linear(dense + "DenseReluDense.wi_1", inner, hidden, false, true);
    b.linear(dense + "DenseReluDense.wo", hidden, inner, false, true);
  }
  b.scale("encoder.final_layer_norm.weight", hidden);
  return b.take();
}

std::vector<SynthTensor> clip_l(const SynthSizes& sizes) {
  const Dim hidden = or_default(sizes.hidden, 768, 64);
  Builder b;
  b.table("text_model.embeddings.token_embedding.weight", 49408, hidden);
  b.table("text_model.embeddings.position_embedding.weight", 77, hidden);
  for (int i = 0; i < (sizes.blocks > 0 ? sizes.blocks : 12); ++i) {
    const std::string layer = concat_text("text_model.encoder.layers.", i, ".");
    b.norm(layer + "layer_norm1", hidden);
    for (const char* name : {"q_proj", "k_proj", "v_proj", "out_proj"})
      b.linear(layer + "self_attn." + name, hidden, hidden, true, true);
    b.norm(layer + "layer_norm2", hidden);
    b.linear(layer + "mlp.fc1", 4 * hidden, hidden, true, true);
    b.linear(layer + "mlp.fc2", hidden, 4 * hidden, true, true);
  }
  b.norm("text_model.final_layer_norm", hidden);
  return b.take();
}

// ---- the KL autoencoder of FLUX.1 ----

constexpr std::array<Dim, 4> kLevels{1, 2, 4, 4};  // channels of each, in units of the first

void kl_block(Builder& b, const std::string& block, Dim in, Dim out) {
  b.norm(block + ".norm1", in);
  b.conv(block + ".conv1", out, in, 3);
  b.norm(block + ".norm2", out);
  b.conv(block + ".conv2", out, out, 3);
  if (in != out) b.conv(block + ".nin_shortcut", out, in, 1);
}

void kl_mid(Builder& b, const std::string& mid, Dim channels) {
  kl_block(b, mid + ".block_1", channels, channels);
  b.norm(mid + ".attn_1.norm", channels);
  for (const char* name : {"q", "k", "v", "proj_out"})
    b.conv(mid + ".attn_1." + name, channels, channels, 1);
  kl_block(b, mid + ".block_2", channels, channels);
}

void kl_encoder(Builder& b, Dim base, Dim latent) {
  b.conv("encoder.conv_in", base, 3, 3);
  Dim channels = base;
  for (size_t level = 0; level < kLevels.size(); ++level) {
    const std::string down = concat_text("encoder.down.", level);
    for (int i = 0; i < 2; ++i, channels = base * kLevels[level])
      kl_block(b, concat_text(down, ".block.", i), channels, base * kLevels[level]);
    if (level + 1 < kLevels.size()) b.conv(down + ".downsample.conv", channels, channels, 3);
  }
  kl_mid(b, "encoder.mid", channels);
  b.norm("encoder.norm_out", channels);
  b.conv("encoder.conv_out", 2 * latent, channels, 3);
}

void kl_decoder(Builder& b, Dim base, Dim latent) {
  Dim channels = base * kLevels.back();
  b.conv("decoder.conv_in", channels, latent, 3);
  kl_mid(b, "decoder.mid", channels);
  for (size_t level = kLevels.size(); level-- > 0;) {
    const std::string up = concat_text("decoder.up.", level);
    for (int i = 0; i < 3; ++i, channels = base * kLevels[level])
      kl_block(b, concat_text(up, ".block.", i), channels, base * kLevels[level]);
    if (level > 0) b.conv(up + ".upsample.conv", channels, channels, 3);
  }
  b.norm("decoder.norm_out", base);
  b.conv("decoder.conv_out", 3, base, 3);
}

std::vector<SynthTensor> kl16(const SynthSizes& sizes) {
  const Dim base = or_default(sizes.hidden, 128, 32), latent = 16;
  Builder b;
  kl_encoder(b, base, latent);
  kl_decoder(b, base, latent);
  return b.take();
}

std::span<const KeyRule> t5_gguf_names() {
  return std::ranges::find(kT5Xxl.layouts, "gguf", &NameLayout::name)->rules;
}

constexpr SynthFamily kFamilies[] = {
    {"flux1", "FLUX.1: --blocks DOUBLE,SINGLE, 19,38 in full", flux1},
    {"t5xxl", "T5 1.1 XXL encoder: --blocks N, 24 in full", t5xxl, t5_gguf_names},
    {"clip_l", "CLIP-L text encoder: --blocks N, 12 in full", clip_l},
    {"kl16", "the 16-channel autoencoder of FLUX.1", kl16},
};

}  // namespace

std::span<const SynthFamily> synth_families() { return kFamilies; }

std::vector<SynthTensor> gguf_tensors(const SynthFamily& family, const SynthSizes& sizes) {
  std::vector<SynthTensor> tensors = family.tensors(sizes);
  for (SynthTensor& t : tensors) {
    const size_t dot = t.name.rfind('.');
    const auto stored = stored_rows(family.gguf_names(), t.name.substr(0, dot));
    t.name = stored[0].module + t.name.substr(dot);
  }
  return tensors;
}

}  // namespace tintype
