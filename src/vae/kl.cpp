// KL autoencoder with 16 latent channels (Rombach et al. 2022; FLUX.1's `ae`), names of CompVis'
// ldm/modules/diffusionmodules/model.py.
//
//   image -> conv_in -> down.0..n (blocks, downsample) -> mid -> norm, silu, conv_out -> mean | var
//   latent -> conv_in -> mid -> up.n..0 (blocks, upsample) -> norm, silu, conv_out -> image
#include <cmath>
#include <optional>

#include "base/error.h"
#include "nn/layers.h"
#include "vae/vae.h"

namespace tintype {
namespace {

constexpr float kEps = 1e-6f;
constexpr Dim kGroups = 32, kChannels = 16;
constexpr int kMostLevels = 8;
// Model space = (latent - kShift) * kScale, of FLUX.1.
constexpr float kScale = 0.3611f, kShift = 0.1159f;

class ResBlock {
 public:
  explicit ResBlock(const Weights& w)
      : norm1_(w.at("norm1"), kGroups, kEps),
        conv1_(w.at("conv1"), 3),
        norm2_(w.at("norm2"), kGroups, kEps),
        conv2_(w.at("conv2"), 3) {
    if (conv1_.in() != conv2_.out()) shortcut_.emplace(w.at("nin_shortcut"), 1);
  }

  Tensor operator()(Tensor x) const {
    const Tensor h = conv2_(silu(norm2_(conv1_(silu(norm1_(x))))));
    return (shortcut_ ? (*shortcut_)(x) : x) + h;
  }

 private:
  GroupNorm norm1_;
  Conv2d conv1_;
  GroupNorm norm2_;
  Conv2d conv2_;
  std::optional<Conv2d> shortcut_;
};

// Attention of every pixel to every pixel, one head.
class MidAttention {
 public:
  explicit MidAttention(const Weights& w)
      : norm_(w.at("norm"), kGroups, kEps),
        q_(w.at("q"), 1),
        k_(w.at("k"), 1),
        v_(w.at("v"), 1),
        proj_out_(w.at("proj_out"), 1) {}

  Tensor operator()(Tensor x) const {
    const Tensor n = norm_(x);
    const Dim c = x.dim(3);
    const auto head = [&](Tensor t) { return reshape(t, {t.dim(0), t.dim(1) * t.dim(2), 1, c}); };
    const Tensor seen = attend(head(q_(n)), head(k_(n)), head(v_(n)),
                               {.scale = 1.0f / std::sqrt(static_cast<float>(c))});
    return x + proj_out_(reshape(seen, x.shape()));
  }

 private:
  GroupNorm norm_;
  Conv2d q_, k_, v_, proj_out_;
};

class Mid {
 public:
  explicit Mid(const Weights& w)
      : block_1_(w.at("block_1")), attn_1_(w.at("attn_1")), block_2_(w.at("block_2")) {}
  Tensor operator()(Tensor x) const { return block_2_(attn_1_(block_1_(x))); }

 private:
  ResBlock block_1_;
  MidAttention attn_1_;
  ResBlock block_2_;
};

enum class Resize { kNo, kDown, kUp };

// Some blocks at one resolution, then maybe a change of it.
class Level {
 public:
  Level(const Weights& w, Resize resize) {
    const int count = w.count("block", {"conv1", "conv2"});
    for (int i = 0; i < count; ++i) blocks_.emplace_back(w.at("block", i));
    const Conv2dAttrs halve{.stride = 2, .bottom = 1, .right = 1};
    if (resize == Resize::kDown) down_.emplace(w.at("downsample.conv"), 3, halve);
    if (resize == Resize::kUp) up_.emplace(w.at("upsample.conv"), 3);
  }

  Tensor operator()(Tensor x) const {
    for (const ResBlock& block : blocks_) x = block(x);
    if (down_) x = (*down_)(x);
    if (up_) x = (*up_)(upsample(x));
    return x;
  }

 private:
  std::vector<ResBlock> blocks_;
  std::optional<Conv2d> down_, up_;
};

// All levels change the size but one: the last on the way down, number 0 on the way up.
std::vector<Level> make_levels(const Weights& w, const std::string& list, Resize resize) {
  const int count = w.count(list, {"block.0.conv1", "block.1.conv1"});
  check(count >= 1 && count <= kMostLevels, ErrorCode::kBadFile, w.where(), " has ", count,
        " levels, needs 1 to ", kMostLevels);
  const int unchanged = resize == Resize::kDown ? count - 1 : 0;
  std::vector<Level> out;
  for (int i = 0; i < count; ++i)
    out.emplace_back(w.at(list, i), i == unchanged ? Resize::kNo : resize);
  return out;
}

class Encoder {
 public:
  explicit Encoder(const Weights& w)
      : conv_in_(w.at("conv_in"), 3),
        down_(make_levels(w, "down", Resize::kDown)),
        mid_(w.at("mid")),
        norm_out_(w.at("norm_out"), kGroups, kEps),
        conv_out_(w.at("conv_out"), 3) {}

  Tensor operator()(Tensor x) const {
    x = conv_in_(x);
    for (const Level& level : down_) x = level(x);
    return conv_out_(silu(norm_out_(mid_(x))));
  }
  size_t levels() const { return down_.size(); }
  Dim out() const { return conv_out_.out(); }

 private:
  Conv2d conv_in_;
  std::vector<Level> down_;
  Mid mid_;
  GroupNorm norm_out_;
  Conv2d conv_out_;
};

class Decoder {
 public:
  explicit Decoder(const Weights& w)
      : conv_in_(w.at("conv_in"), 3),
        mid_(w.at("mid")),
        up_(make_levels(w, "up", Resize::kUp)),
        norm_out_(w.at("norm_out"), kGroups, kEps),
        conv_out_(w.at("conv_out"), 3) {}

  Tensor operator()(Tensor x) const {
    x = mid_(conv_in_(x));
    for (size_t i = up_.size(); i-- > 0;) x = up_[i](x);
    return conv_out_(silu(norm_out_(x)));
  }
  Dim channels() const { return conv_in_.in(); }
  size_t levels() const { return up_.size(); }
  Dim out() const { return conv_out_.out(); }

 private:
  Conv2d conv_in_;
  Mid mid_;
  std::vector<Level> up_;
  GroupNorm norm_out_;
  Conv2d conv_out_;
};

class KlVae final : public Vae {
 public:
  explicit KlVae(const Weights& w) : decoder_(w.at("decoder")) {
    check(decoder_.out() == 3 && (!encoder_ || encoder_->out() == 2 * kChannels),
          ErrorCode::kBadFile, w.where(), " makes pictures of ", decoder_.out(),
          " channels and latents of ", encoder_ ? encoder_->out() / 2 : kChannels, ", needs 3 and ",
          kChannels);
    check(channels() == kChannels, ErrorCode::kBadFile, w.where(), " has ", channels(),
          " latent channels, this VAE needs ", kChannels);
    if (w.at("encoder.conv_in").has()) encoder_.emplace(w.at("encoder"));
    check(!encoder_ || encoder_->levels() == decoder_.levels(), ErrorCode::kBadFile, w.where(),
          " has ", encoder_ ? encoder_->levels() : 0, " levels in its encoder, ", decoder_.levels(),
          " in its decoder");
    if (w.at("quant_conv").has()) quant_.emplace(w.at("quant_conv"), 1);
    if (w.at("post_quant_conv").has()) post_quant_.emplace(w.at("post_quant_conv"), 1);
  }

  Dim channels() const override { return decoder_.channels(); }
  Dim scale() const override { return Dim{1} << (decoder_.levels() - 1); }
  bool has_encoder() const override { return encoder_.has_value(); }

  Tensor decode(Tensor latent) const override {
    Tensor z = kShift + (1.0f / kScale) * latent;
    if (post_quant_) z = (*post_quant_)(z);
    return decoder_(z);
  }

  Tensor encode(Tensor image) const override {
    Tensor moments = (*encoder_)(image);
    if (quant_) moments = (*quant_)(moments);
    return kScale * (-kShift + slice(moments, 3, 0, kChannels));
  }

 private:
  Decoder decoder_;
  std::optional<Encoder> encoder_;
  std::optional<Conv2d> quant_, post_quant_;
};

// ---- names -------------------------------------------------------------------------------------

// diffusers' AutoencoderKL. It numbers the levels of its decoder the other way round, so the names
// depend on how many there are.
NameLayout diffusers_layout(int levels) {
  std::vector<KeyRule> rules;
  for (const std::string side : {"encoder", "decoder"}) {
    const std::string mid = side + ".mid_block.";
    rules.push_back({side + ".norm_out", {{side + ".conv_norm_out"}}});
    rules.push_back({side + ".mid.block_1.*", {{mid + "resnets.0.*"}}});
    rules.push_back({side + ".mid.block_2.*", {{mid + "resnets.1.*"}}});
    rules.push_back({side + ".mid.attn_1.norm", {{mid + "attentions.0.group_norm"}}});
    rules.push_back({side + ".mid.attn_1.proj_out", {{mid + "attentions.0.to_out.0"}}});
    for (const std::string part : {"q", "k", "v"})
      rules.push_back({side + ".mid.attn_1." + part, {{mid + "attentions.0.to_" + part}}});
  }
  for (int i = 0; i < levels; ++i) {
    const std::string down = concat_text("encoder.down.", i, "."),
                      up = concat_text("decoder.up.", levels - 1 - i, "."),
                      down_block = concat_text("encoder.down_blocks.", i, "."),
                      up_block = concat_text("decoder.up_blocks.", i, ".");
    rules.push_back({down + "downsample.conv", {{down_block + "downsamplers.0.conv"}}});
    rules.push_back({up + "upsample.conv", {{up_block + "upsamplers.0.conv"}}});
    for (const auto& [ours, theirs] : {std::pair(down, down_block), std::pair(up, up_block)}) {
      rules.push_back({ours + "block.{}.nin_shortcut", {{theirs + "resnets.{}.conv_shortcut"}}});
      rules.push_back({ours + "block.{}.*", {{theirs + "resnets.{}.*"}}});
    }
  }
  return {.name = "diffusers",
          .needs = {concat_text("decoder.up_blocks.", levels - 1, ".resnets.0.conv1.weight")},
          .rules = std::move(rules)};
}

std::vector<NameLayout> layouts() {
  std::vector<NameLayout> out{
      {.name = "original",
       .needs = {"decoder.conv_in.weight", "decoder.mid.block_1.conv1.weight"},
       .rules = {}}};
  for (int levels = kMostLevels; levels > 0; --levels) out.push_back(diffusers_layout(levels));
  return out;
}

}  // namespace

const VaeFamily kKlVae{
    .name = "kl-16",
    .layouts = layouts(),
    .prefixes = {"vae.", "first_stage_model."},
    .build = [](const Weights& w) -> std::unique_ptr<Vae> { return std::make_unique<KlVae>(w); },
};

}  // namespace tintype
