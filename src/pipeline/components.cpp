#include "pipeline/components.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/error.h"
#include "pipeline/stage.h"
#include "pipeline/strangers.h"

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

// "double_blocks.0.norm" -> "double_blocks."
std::string_view first_word(std::string_view name) {
  return name.substr(0, std::min(name.find('.'), name.size() - 1) + 1);
}

// Completes the report and refuses what the file has and nobody asked for.
LoadReport finish_loading(const Component& component, const Binding& binding, bool strict) {
  LoadReport report;
  std::set<std::string, std::less<>> known;  // first words of the tensors used
  const WeightIndex& index = binding.index();
  const auto inner = [&](std::string_view name) { return name.substr(component.prefix.size()); };
  for (const Parameter* p : binding.used()) {
    ++report.used;
    ++report.formats[std::string(p->format->name())];
    report.weight_bytes += p->stored_bytes();
    known.emplace(first_word(inner(p->name)));
  }
  uint64_t idle = 0;
  for (const auto& [name, p] : index.parameters) {
    if (!component.owns(name) || binding.used().contains(&p)) continue;
    const std::string_view own = inner(name);
    if (std::ranges::any_of(component.layout->ignored,
                            [&](std::string_view start) { return own.starts_with(start); }))
      continue;
    check(!known.contains(first_word(own)), ErrorCode::kBadFile, index.path(), ": ", name,
          " has no place in ", binding.label(), ", or what it belongs to is missing");
    report.unused.push_back(name);
    idle += p.stored_bytes();
  }
  const bool too_much = idle * 100 > report.weight_bytes || (strict && !report.unused.empty());
  check(!too_much, ErrorCode::kBadFile, index.path(), ": ", report.unused.size(), " tensors of ",
        binding.label(), " are unknown, ", report.unused.empty() ? "" : report.unused[0],
        " among them; the file is not what its names promise");
  return report;
}

// Builds the model, and with try_out(model) a small graph of it. Operations that do not fit each
// other there are the fault of the file.
template <class Model, class FamilyType, class TryOut>
Loaded<Model> load(const Component& component, const FamilyType& family, bool strict,
                   TryOut try_out) {
  Loaded<Model> out{component, nullptr, nullptr, {}};
  out.binding = std::make_unique<Binding>(component.index, std::string(family.name),
                                          component.prefix, *component.layout);
  out.model = family.build(Weights(*out.binding));
  out.report = finish_loading(component, *out.binding, strict);
  try {
    try_out(*out.model);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::kFailed) throw;
    fail(ErrorCode::kBadFile, component.index->path(), ": the tensors of its ", family.name,
         " do not fit each other: ", e.what());
  }
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

bool Component::owns(std::string_view tensor) const {
  return tensor.starts_with(prefix) &&
         std::ranges::none_of(inner, [&](const auto& other) { return tensor.starts_with(other); });
}

std::vector<Component> detect(const std::shared_ptr<const WeightIndex>& index,
                              std::vector<std::string>* why) {
  std::vector<Component> out;
  const auto add = [&](Role role, const auto& family, auto prefixes, auto member) {
    const auto match = find_match(*index, family.name, family.layouts, prefixes, why);
    if (!match) return false;
    Component& found = out.emplace_back();
    found.role = role;
    found.index = index;
    found.prefix = match->prefix;
    found.layout = match->layout;
    found.*member = &family;
    return true;
  };
  for (const Family* family : families()) {
    if (!add(Role::kDenoiser, *family, std::span<const std::string_view>(kDenoiserPrefixes),
             &Component::family))
      continue;
    const Component& found = out.back();
    refuse_relative(*index, found.prefix);
    Binding binding(index, std::string(family->name), found.prefix, *found.layout);
    family->refuse_look_alikes(Weights(binding), index->path());
    if (why) why->push_back(concat_text(family->name, ": no sign of a relative"));
  }
  for (const TextFamily* family : text_families())
    add(Role::kText, *family, std::span<const std::string_view>(family->prefixes),
        &Component::text);
  for (const VaeFamily* family : vae_families())
    add(Role::kVae, *family, std::span<const std::string_view>(family->prefixes), &Component::vae);
  for (Component& c : out)
    for (const Component& other : out)
      if (other.prefix.size() > c.prefix.size() && other.prefix.starts_with(c.prefix))
        c.inner.push_back(other.prefix);
  if (out.empty()) refuse_stranger(*index);
  return out;
}

std::vector<std::string> orphans(const WeightIndex& index, std::span<const Component> components) {
  std::vector<std::string> names;
  const auto is_owned = [&](const std::string& name) {
    return std::ranges::any_of(components, [&](const Component& c) { return c.owns(name); });
  };
  if (components.empty()) return names;
  for (const auto& [name, p] : index.parameters)
    if (!is_owned(name)) names.push_back(name);
  return names;
}

std::optional<std::string> orphan_notice(const WeightIndex& index,
                                         std::span<const Component> components) {
  const std::vector<std::string> names = orphans(index, components);
  if (names.empty()) return std::nullopt;
  return concat_text(index.path(), ": ", names.size(), " of its weights belong to no part that ",
                     "tintype knows, ", names[0], " among them");
}

Loaded<Denoiser> load_denoiser(const Component& component, bool strict) {
  return load<Denoiser>(component, *component.family, strict, [](const Denoiser& model) {
    denoiser_graph(model, DType::kF32, {1, model.sizes().channels, 2, 2}, 1);
  });
}

Loaded<TextEncoder> load_text_encoder(const Component& component, bool strict) {
  return load<TextEncoder>(component, *component.text, strict, [](const TextEncoder& model) {
    text_graph(model, DType::kF32, {1, 1});
  });
}

Loaded<Vae> load_vae(const Component& component, bool strict) {
  return load<Vae>(component, *component.vae, strict, [](const Vae& model) {
    decode_graph(model, DType::kF32, {1, model.channels(), 1, 1});
    if (model.has_encoder()) encode_graph(model, DType::kF32, {1, 3, model.scale(), model.scale()});
  });
}

}  // namespace tintype
