#include "pipeline/strangers.h"

#include <algorithm>
#include <span>

#include "base/error.h"

namespace tintype {
namespace {

// How the first of a model's names begins, after a prefix; the first line that fits wins.
struct Sign {
  std::string_view begins, name;
};
// Of models whose other names are those of a family that we run.
constexpr Sign kRelatives[] = {
    {"controlnet_", "a ControlNet"},
    {"double_stream_modulation_img.", "FLUX.2"},
    {"distilled_guidance_layer.", "Chroma"},
};
constexpr Sign kSigns[] = {
    {"lora_unet_", "a LoRA"},
    {"lora_te", "a LoRA"},
    {"redux_up.", "FLUX.1 Redux"},
    {"controlnet_cond_embedding.", "a ControlNet of Stable Diffusion"},
    {"control_model.", "a ControlNet of Stable Diffusion"},
    {"lllite_", "a ControlNet-LLLite"},
    {"zero_convs.", "a ControlNet of Stable Diffusion"},
    {"joint_blocks.0.context_block.", "Stable Diffusion 3"},
    {"txtfusion.", "Krea 2"},
    {"text_fusion.", "Krea 2"},
    {"llm_adapter.", "Anima"},
    {"blocks.0.adaln_modulation_cross_attn.", "Cosmos-Predict2"},
    {"cap_embedder.1.", "Z-Image or Lumina 2"},
    {"transformer_blocks.0.img_mod.1.", "Qwen-Image"},
    {"input_blocks.0.0.weight", "Stable Diffusion 1, 2 or XL"},
    {"down_blocks.0.resnets.0.conv1.weight", "Stable Diffusion 1, 2 or XL"},
    {"decoder.middle.0.residual.0.gamma", "the VAE of Wan or Qwen-Image"},
    {"decoder.mid_block.resnets.0.norm1.gamma", "the VAE of Wan or Qwen-Image"},
    {"decoder.mid_block.attentions.0.to_qkv.", "the VAE of Wan or Qwen-Image"},
    {"decoder.layers.0.", "a tiny autoencoder (TAESD)"},
    {"decoder.1.weight", "a tiny autoencoder (TAESD)"},
    {"taesd_decoder.", "a tiny autoencoder (TAESD)"},
    {"transformer.resblocks.0.", "a CLIP text encoder in OpenCLIP's names"},
    {"encoder.block.0.layer.1.DenseReluDense.wi.weight", "T5 1.0"},
    {"model.layers.0.self_attn.q_proj.weight", "a language model"},
};
constexpr std::string_view kPrefixes[] = {"", "model.diffusion_model.", "net.", "transformer."};

// How names of adapters end.
constexpr std::string_view kAdapterEnds[] = {
    ".lora_down.weight", ".lora_up.weight", ".lora_A.weight", ".lora_B.weight", ".lora.down.weight",
    ".lora.up.weight",   ".hada_w1_a",      ".hada_w2_a",     ".lokr_w1",       ".lokr_w2",
    ".oft_blocks",       ".dora_scale",     ".alpha",         ".diff",          ".diff_b"};

bool is_adapter(const WeightIndex& index) {
  const auto of_adapter = std::ranges::count_if(index.parameters, [](const auto& named) {
    return std::ranges::any_of(kAdapterEnds,
                               [&](std::string_view end) { return named.first.ends_with(end); });
  });
  return 2 * static_cast<size_t>(of_adapter) > index.parameters.size();
}

[[noreturn]] void refuse(const WeightIndex& index, std::string_view name, const std::string& sign) {
  fail(ErrorCode::kBadFile, index.path(), ": this is ", name,
       ", which tintype does not run (it has ", sign, ")");
}

void refuse_signs(const WeightIndex& index, std::span<const Sign> signs, std::string_view prefix) {
  for (const auto& [begins, name] : signs) {
    const std::string start = concat_text(prefix, begins);
    const auto it = index.parameters.lower_bound(start);
    if (it != index.parameters.end() && it->first.starts_with(start))
      refuse(index, name, it->first);
  }
}

}  // namespace

void refuse_stranger(const WeightIndex& index) {
  for (const std::string_view prefix : kPrefixes) {
    refuse_signs(index, kSigns, prefix);
    refuse_signs(index, kRelatives, prefix);
  }
  if (is_adapter(index)) refuse(index, "a LoRA", index.parameters.begin()->first);
}

void refuse_relative(const WeightIndex& index, std::string_view prefix) {
  refuse_signs(index, kRelatives, prefix);
}

}  // namespace tintype
