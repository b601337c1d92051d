#include "pipeline/components.h"

#include <algorithm>
#include <optional>

#include "base/error.h"

namespace tintype {
namespace {

// Prefixes that containers put before a denoiser's names.
constexpr std::string_view kDenoiserPrefixes[] = {"model.diffusion_model.",
                                                  "model.model.",
                                                  "diffusion_model.",
                                                  "transformer.",
                                                  "unet.",
                                                  "net.",
                                                  "model."};

bool holds(const WeightIndex& index, const std::string& name) {
  return index.find(name) != nullptr;
}

struct Match {
  std::string prefix;
  const NameLayout* layout;
};

// The first prefix and layout whose tell-tale tensors are all there.
std::optional<Match> find_match(const WeightIndex& index, std::string_view family,
                                const std::vector<NameLayout>& layouts,
                                std::span<const std::string_view> prefixes,
                                std::vector<std::string>* why) {
  std::vector<std::string> tried{""};
  tried.insert(tried.end(), prefixes.begin(), prefixes.end());
  for (const NameLayout& layout : layouts) {
    std::string missing;
    for (const std::string& prefix : tried) {
      const auto gap = std::ranges::find_if_not(
          layout.needs, [&](const std::string& need) { return holds(index, prefix + need); });
      if (gap == layout.needs.end()) {
        if (why)
          why->push_back(concat_text(family, ", ", layout.name, " names: yes, ", prefix,
                                     layout.needs[0], " and all other tell-tales are there"));
        return Match{prefix, &layout};
      }
      if (missing.empty()) missing = *gap;
    }
    if (why)
      why->push_back(
          concat_text(family, ", ", layout.name, " names: no, ", missing, " is missing"));
  }
  return std::nullopt;
}

// Families whose names resemble one that we run, or that people try: told by one tensor.
void refuse_strangers(const WeightIndex& index) {
  struct Stranger {
    std::string_view key, name;
  };
  constexpr Stranger kStrangers[] = {
      {"joint_blocks.0.context_block.attn.qkv.weight", "Stable Diffusion 3"},
      {"txtfusion.projector.weight", "Krea 2"},
      {"text_fusion.projector.weight", "Krea 2"},
      {"llm_adapter.blocks.0.cross_attn.q_proj.weight", "Anima"},
      {"double_stream_modulation_img.lin.weight", "FLUX.2"},
      {"double_stream_modulation_img.linear.weight", "FLUX.2"},
      {"distilled_guidance_layer.in_proj.weight", "Chroma"},
      {"cap_embedder.1.weight", "Z-Image or Lumina 2"},
      {"transformer_blocks.0.img_mod.1.weight", "Qwen-Image"},
      {"input_blocks.0.0.weight", "Stable Diffusion 1, 2 or XL"},
      {"down_blocks.0.resnets.0.conv1.weight", "Stable Diffusion 1, 2 or XL"},
      {"controlnet_x_embedder.weight", "a ControlNet"},
      {"control_model.input_blocks.0.0.weight", "a ControlNet"},
      {"decoder.middle.0.residual.0.gamma", "the VAE of Wan or Qwen-Image"},
      {"model.layers.0.self_attn.q_proj.weight", "a language model"},
  };
  for (const auto& [key, stranger] : kStrangers)
    for (const std::string_view prefix : {std::string_view(""), kDenoiserPrefixes[0]})
      check(!holds(index, concat_text(prefix, key)), ErrorCode::kBadFile, index.path(),
            ": this is ", stranger, ", which tintype does not run (it has ", prefix, key, ")");
}

// Completes the report and refuses what the file has and nobody asked for.
LoadReport finish_loading(const Binding& binding, bool strict) {
  LoadReport report;
  uint64_t idle = 0;
  const WeightIndex& index = binding.index();
  for (const auto& [name, p] : index.parameters) {
    if (!name.starts_with(binding.prefix())) continue;
    if (binding.used().contains(&p)) {
      ++report.used;
      ++report.formats[std::string(p.format->name())];
      report.weight_bytes += p.stored_bytes();
      continue;
    }
    const std::string_view inner = std::string_view(name).substr(binding.prefix().size());
    if (std::ranges::any_of(binding.layout().ignored,
                            [&](std::string_view start) { return inner.starts_with(start); }))
      continue;
    report.unused.push_back(name);
    idle += p.stored_bytes();
  }
  const bool too_much = idle * 100 > report.weight_bytes || (strict && !report.unused.empty());
  check(!too_much, ErrorCode::kBadFile, index.path(), ": ", report.unused.size(), " tensors of ",
        binding.label(), " are unknown, ", report.unused.empty() ? "" : report.unused[0],
        " among them; the file is not what its names promise");
  return report;
}

template <class Model, class FamilyType>
Loaded<Model> load(const Component& component, const FamilyType& family, bool strict) {
  Loaded<Model> out{component, nullptr, nullptr, {}};
  out.binding = std::make_unique<Binding>(component.index, std::string(family.name),
                                          component.prefix, *component.layout);
  out.model = family.build(Weights(*out.binding));
  out.report = finish_loading(*out.binding, strict);
  return out;
}

}  // namespace

std::string_view name(Role role) {
  constexpr std::string_view kNames[] = {"denoiser", "text", "vae"};
  return kNames[static_cast<size_t>(role)];
}

std::string_view Component::family_name() const {
  return family ? family->name : text ? text->name : vae->name;
}

std::vector<Component> detect(const std::shared_ptr<const WeightIndex>& index,
                              std::vector<std::string>* why) {
  std::vector<Component> out;
  const auto add = [&](Role role, const auto& family, auto prefixes, auto member) {
    const auto match = find_match(*index, family.name, family.layouts, prefixes, why);
    if (!match) return;
    Component& found = out.emplace_back();
    found.role = role;
    found.index = index;
    found.prefix = match->prefix;
    found.layout = match->layout;
    found.*member = &family;
  };
  for (const Family* family : families()) {
    add(Role::kDenoiser, *family, std::span<const std::string_view>(kDenoiserPrefixes),
        &Component::family);
    if (out.empty()) continue;
    Binding binding(index, std::string(family->name), out[0].prefix, *out[0].layout);
    family->refuse_look_alikes(Weights(binding), *index, out[0].prefix);
  }
  for (const TextFamily* family : text_families())
    add(Role::kText, *family, std::span<const std::string_view>(family->prefixes),
        &Component::text);
  for (const VaeFamily* family : vae_families())
    add(Role::kVae, *family, std::span<const std::string_view>(family->prefixes), &Component::vae);
  if (out.empty()) refuse_strangers(*index);
  return out;
}

Loaded<Denoiser> load_denoiser(const Component& component, bool strict) {
  return load<Denoiser>(component, *component.family, strict);
}

Loaded<TextEncoder> load_text_encoder(const Component& component, bool strict) {
  return load<TextEncoder>(component, *component.text, strict);
}

Loaded<Vae> load_vae(const Component& component, bool strict) {
  return load<Vae>(component, *component.vae, strict);
}

}  // namespace tintype
