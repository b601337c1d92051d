// FLUX.1 dev and schnell: https://github.com/black-forest-labs/flux at 802fb47, model.py,
// layers.py.
//
//   x [B,h,w,C] -> patches -> img_in -> img -+                                   +-> final_layer
//   context [B,S,D] --------> txt_in -> txt -+-> double_blocks -> single_blocks -+
//   timestep, guidance, y --> time_in + guidance_in + vector_in = vec, which modulates every block
#include <array>
#include <cmath>

#include "base/error.h"
#include "models/families.h"
#include "nn/layers.h"
#include "nn/modulation.h"
#include "nn/patches.h"

namespace tintype {
namespace {

constexpr float kEps = 1e-6f;
constexpr Dim kPatch = 2;
constexpr Dim kHead = 128;
const RopeTableAttrs kRope{.axes = {16, 56, 56}, .theta = 10000};

// ---- blocks, leaf first ------------------------------------------------------------------------

struct Qkv {
  Tensor q, k, v;  // [B, L, H, 128]
};

class QkNorm {
 public:
  explicit QkNorm(const Weights& w)
      : query_norm_(w.at("query_norm"), kEps), key_norm_(w.at("key_norm"), kEps) {
    check(query_norm_.size() == kHead, ErrorCode::kBadFile, w.where(), " is made for heads of ",
          query_norm_.size(), ", FLUX.1 has heads of ", kHead);
  }
  // qkv [B, L, 3C]
  Qkv operator()(Tensor qkv) const {
    const auto [q, k, v] = chunk<3>(qkv, 2);
    return {query_norm_(split_heads(q, kHead)), key_norm_(split_heads(k, kHead)),
            split_heads(v, kHead)};
  }

 private:
  RmsNorm query_norm_, key_norm_;
};

// Attention over [B, L, H, 128] with rotated positions -> [B, L, C].
Tensor attend_rotated(const Qkv& x, Tensor table) {
  const float scale = 1.0f / std::sqrt(static_cast<float>(kHead));
  return join_heads(attend(rope(x.q, table), rope(x.k, table), x.v, {.scale = scale}));
}

// One side, image or text, of a two-stream block.
class Stream {
 public:
  Stream(const Weights& w, const std::string& side)
      : mod_(w.at(side + "_mod.lin")),
        qkv_(w.at(side + "_attn.qkv")),
        norm_(w.at(side + "_attn.norm")),
        proj_(w.at(side + "_attn.proj")),
        mlp_in_(w.at(side + "_mlp.0")),
        mlp_out_(w.at(side + "_mlp.2")) {}

  std::array<Modulation, 2> modulation(Tensor vec) const { return modulations<2>(mod_, vec); }

  Qkv project(Tensor x, const Modulation& mod) const { return norm_(qkv_(mod.apply(x, kEps))); }

  Tensor finish(Tensor x, Tensor attended, const std::array<Modulation, 2>& mod) const {
    x = x + mod[0].gate * proj_(attended);
    return x + mod[1].gate * mlp_out_(gelu_tanh(mlp_in_(mod[1].apply(x, kEps))));
  }

 private:
  Linear mod_, qkv_;
  QkNorm norm_;
  Linear proj_, mlp_in_, mlp_out_;
};

class DoubleBlock {
 public:
  explicit DoubleBlock(const Weights& w) : img_(w, "img"), txt_(w, "txt") {}

  // img [B, L, C] and txt [B, S, C] attend to each other as one sequence, text first.
  std::pair<Tensor, Tensor> operator()(Tensor img, Tensor txt, Tensor vec, Tensor table) const {
    const auto img_mod = img_.modulation(vec);
    const auto txt_mod = txt_.modulation(vec);
    const Qkv i = img_.project(img, img_mod[0]);
    const Qkv t = txt_.project(txt, txt_mod[0]);

    const Qkv both{concat({t.q, i.q}, 1), concat({t.k, i.k}, 1), concat({t.v, i.v}, 1)};
    const auto parts = split(attend_rotated(both, table), 1, {txt.dim(1), img.dim(1)});

    return {img_.finish(img, parts[1], img_mod), txt_.finish(txt, parts[0], txt_mod)};
  }

 private:
  Stream img_, txt_;
};

class SingleBlock {
 public:
  explicit SingleBlock(const Weights& w)
      : modulation_(w.at("modulation.lin")),
        linear1_(w.at("linear1")),
        norm_(w.at("norm")),
        linear2_(w.at("linear2")) {}

  Tensor operator()(Tensor x, Tensor vec, Tensor table) const {
    const auto [mod] = modulations<1>(modulation_, vec);
    const Dim c = x.dim(2);
    const auto parts = split(linear1_(mod.apply(x, kEps)), 2, {3 * c, linear1_.out() - 3 * c});
    const Tensor attended = attend_rotated(norm_(parts[0]), table);
    return x + mod.gate * linear2_(concat({attended, gelu_tanh(parts[1])}, 2));
  }

 private:
  Linear modulation_, linear1_;
  QkNorm norm_;
  Linear linear2_;
};

class FinalLayer {
 public:
  explicit FinalLayer(const Weights& w)
      : linear_(w.at("linear")), adaln_modulation_(w.at("adaLN_modulation.1")) {}

  Tensor operator()(Tensor x, Tensor vec) const {
    const Tensor both = adaln_modulation_(silu(vec));
    const auto [shift, scale] = chunk<2>(reshape(both, {both.dim(0), 1, both.dim(1)}), 2);
    return linear_(Modulation{shift, scale, {}}.apply(x, kEps));
  }
  Dim out() const { return linear_.out(); }

 private:
  Linear linear_, adaln_modulation_;
};

// ---- the model ---------------------------------------------------------------------------------

// Text stands at (0, 0, 0), image patches at (0, row, column).
Array positions(Dim text, Dim rows, Dim columns) {
  Array out({text + rows * columns, 3});
  for (Dim r = 0; r < rows; ++r)
    for (Dim c = 0; c < columns; ++c) {
      const Dim at = 3 * (text + r * columns + c);
      out[at + 1] = static_cast<float>(r);
      out[at + 2] = static_cast<float>(c);
    }
  return out;
}

class Flux final : public Denoiser {
 public:
  explicit Flux(const Weights& w)
      : img_in_(w.at("img_in")),
        txt_in_(w.at("txt_in")),
        time_in_(w.at("time_in")),
        vector_in_(w.at("vector_in")),
        final_layer_(w.at("final_layer")) {
    if (w.at("guidance_in.in_layer").has() || w.at("guidance_in.out_layer").has())
      guidance_in_.emplace_back(w.at("guidance_in"));
    const int doubles = w.count("double_blocks", {"img_attn.qkv", "txt_attn.qkv"});
    const int singles = w.count("single_blocks", {"linear1", "linear2"});
    check(doubles > 0 && singles > 0, ErrorCode::kBadFile, w.where(), " has ", doubles,
          " double and ", singles, " single blocks, needs both");
    for (int i = 0; i < doubles; ++i) double_blocks_.emplace_back(w.at("double_blocks", i));
    for (int i = 0; i < singles; ++i) single_blocks_.emplace_back(w.at("single_blocks", i));
  }

  DenoiserSizes sizes() const override {
    return {.channels = final_layer_.out() / (kPatch * kPatch),
            .context = txt_in_.in(),
            .pooled = vector_in_.in(),
            .patch = kPatch,
            .guidance = !guidance_in_.empty()};
  }

  Tensor forward(const Inputs& in) const override {
    const Tensor x = pad_by_wrapping(in.at("x"), kPatch);
    Tensor img = img_in_(patchify(x, kPatch));  // [B, L, C]
    Tensor txt = txt_in_(in.at("context"));     // [B, S, C]
    const Tensor vec = conditioning(in);        // [B, C]
    const Tensor table = rope_table(
        x.graph().constant(positions(txt.dim(1), x.dim(1) / kPatch, x.dim(2) / kPatch)), kRope);

    for (const DoubleBlock& block : double_blocks_)
      std::tie(img, txt) = block(img, txt, vec, table);
    Tensor both = concat({txt, img}, 1);
    for (const SingleBlock& block : single_blocks_) both = block(both, vec, table);

    img = final_layer_(slice(both, 1, txt.dim(1), img.dim(1)), vec);
    const Tensor out = unpatchify(img, kPatch, x.dim(1), x.dim(2));
    return slice(slice(out, 1, 0, in.at("x").dim(1)), 2, 0, in.at("x").dim(2));
  }

 private:
  Tensor conditioning(const Inputs& in) const {
    Tensor vec = time_in_(sinusoid(in.at("timestep"), {})) + vector_in_(in.at("y"));
    for (const MlpEmbedder& embed : guidance_in_)
      vec = vec + embed(sinusoid(in.at("guidance"), {}));
    return vec;
  }

  Linear img_in_, txt_in_;
  MlpEmbedder time_in_, vector_in_;
  std::vector<MlpEmbedder> guidance_in_;  // dev has one, schnell none
  std::vector<DoubleBlock> double_blocks_;
  std::vector<SingleBlock> single_blocks_;
  FinalLayer final_layer_;
};

// ---- names -------------------------------------------------------------------------------------

const std::vector<KeyRule> kDiffusersNames{
    {"img_in", {{"x_embedder"}}},
    {"txt_in", {{"context_embedder"}}},
    {"time_in.in_layer", {{"time_text_embed.timestep_embedder.linear_1"}}},
    {"time_in.out_layer", {{"time_text_embed.timestep_embedder.linear_2"}}},
    {"vector_in.in_layer", {{"time_text_embed.text_embedder.linear_1"}}},
    {"vector_in.out_layer", {{"time_text_embed.text_embedder.linear_2"}}},
    {"guidance_in.in_layer", {{"time_text_embed.guidance_embedder.linear_1"}}},
    {"guidance_in.out_layer", {{"time_text_embed.guidance_embedder.linear_2"}}},
    {"double_blocks.{}.img_mod.lin", {{"transformer_blocks.{}.norm1.linear"}}},
    {"double_blocks.{}.txt_mod.lin", {{"transformer_blocks.{}.norm1_context.linear"}}},
    {"double_blocks.{}.img_attn.qkv",
     {{"transformer_blocks.{}.attn.to_q"},
      {"transformer_blocks.{}.attn.to_k"},
      {"transformer_blocks.{}.attn.to_v"}}},
    {"double_blocks.{}.txt_attn.qkv",
     {{"transformer_blocks.{}.attn.add_q_proj"},
      {"transformer_blocks.{}.attn.add_k_proj"},
      {"transformer_blocks.{}.attn.add_v_proj"}}},
    {"double_blocks.{}.img_attn.norm.query_norm", {{"transformer_blocks.{}.attn.norm_q"}}},
    {"double_blocks.{}.img_attn.norm.key_norm", {{"transformer_blocks.{}.attn.norm_k"}}},
    {"double_blocks.{}.txt_attn.norm.query_norm", {{"transformer_blocks.{}.attn.norm_added_q"}}},
    {"double_blocks.{}.txt_attn.norm.key_norm", {{"transformer_blocks.{}.attn.norm_added_k"}}},
    {"double_blocks.{}.img_attn.proj", {{"transformer_blocks.{}.attn.to_out.0"}}},
    {"double_blocks.{}.txt_attn.proj", {{"transformer_blocks.{}.attn.to_add_out"}}},
    {"double_blocks.{}.img_mlp.0", {{"transformer_blocks.{}.ff.net.0.proj"}}},
    {"double_blocks.{}.img_mlp.2", {{"transformer_blocks.{}.ff.net.2"}}},
    {"double_blocks.{}.txt_mlp.0", {{"transformer_blocks.{}.ff_context.net.0.proj"}}},
    {"double_blocks.{}.txt_mlp.2", {{"transformer_blocks.{}.ff_context.net.2"}}},
    {"single_blocks.{}.modulation.lin", {{"single_transformer_blocks.{}.norm.linear"}}},
    {"single_blocks.{}.linear1",
     {{"single_transformer_blocks.{}.attn.to_q"},
      {"single_transformer_blocks.{}.attn.to_k"},
      {"single_transformer_blocks.{}.attn.to_v"},
      {"single_transformer_blocks.{}.proj_mlp"}}},
    {"single_blocks.{}.linear2", {{"single_transformer_blocks.{}.proj_out"}}},
    {"single_blocks.{}.norm.query_norm", {{"single_transformer_blocks.{}.attn.norm_q"}}},
    {"single_blocks.{}.norm.key_norm", {{"single_transformer_blocks.{}.attn.norm_k"}}},
    {"final_layer.linear", {{"proj_out"}}},
    // diffusers stores scale above shift, the original shift above scale
    {"final_layer.adaLN_modulation.1", {{"norm_out.linear", 1, 2}, {"norm_out.linear", 0, 2}}},
};

void refuse_look_alikes(const Weights& w, const std::string& path) {
  const auto refuse = [&](std::string_view name, const std::string& why) {
    fail(ErrorCode::kBadFile, path, ": this is ", name, ", which tintype does not run (", why, ")");
  };
  if (w.at("double_blocks.0.img_mlp.gate_proj").has())
    refuse("Ovis-Image", "it has double_blocks.0.img_mlp.gate_proj");
  if (Linear(w.at("txt_in"), Bias::kNone).in() == 3584)
    refuse("LongCat-Image", "txt_in has 3584 columns");
  if (!w.at("vector_in.in_layer").has()) refuse("a derivative of FLUX.1", "it has no vector_in");

  const Dim in = Linear(w.at("img_in"), Bias::kNone).in(),
            out = Linear(w.at("final_layer.linear"), Bias::kNone).out();
  const std::string sizes = concat_text("img_in takes ", in, " columns, final_layer makes ", out);
  if (in == 6 * out) refuse("FLUX.1 Fill", sizes);
  if (in == 2 * out) refuse("FLUX.1 Control (Depth or Canny)", sizes);
  if (in != out) refuse("a derivative of FLUX.1", sizes);
}

}  // namespace

const Family kFlux1{
    .name = "flux.1",
    .layouts = {{.name = "original",
                 .needs = {"img_in.weight", "double_blocks.0.img_attn.qkv.weight"},
                 .rules = {}},
                {.name = "diffusers",
                 .needs = {"x_embedder.weight", "transformer_blocks.0.attn.norm_added_k.weight",
                           "single_transformer_blocks.0.attn.to_q.weight"},
                 .rules = kDiffusersNames}},
    .refuse_look_alikes = refuse_look_alikes,
    .build = [](const Weights& w) -> std::unique_ptr<Denoiser> {
      return std::make_unique<Flux>(w);
    },
    .prediction = Prediction::kFlow,
    .text_encoders = {"t5xxl", "clip_l"},
    .vae = "kl-16",
    .defaults = [](const DenoiserSizes& sizes) -> SamplingDefaults {
      if (sizes.guidance) return {"dev", "mu=1.15", 20, 3.5};  // as ComfyUI
      return {"schnell", "none", 4, 0};
    },
};

}  // namespace tintype
