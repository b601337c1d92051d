// What is in a file: which families its tensors belong to, and the models bound to them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/families.h"
#include "text/encoder.h"
#include "vae/vae.h"

namespace tintype {

enum class Role { kDenoiser, kText, kVae };
std::string_view name(Role role);

// Part of a file that is a known model.
struct Component {
  Role role = Role::kDenoiser;
  std::shared_ptr<const WeightIndex> index;
  std::string prefix;
  std::vector<std::string> inner;  // longer prefixes, of the file's other components
  const NameLayout* layout = nullptr;
  const Family* family = nullptr;  // one of these three, by role
  const TextFamily* text = nullptr;
  const VaeFamily* vae = nullptr;

  std::string_view family_name() const;
  // Whether a tensor of that name in the file belongs to this component.
  bool owns(std::string_view tensor) const;
};

// All components of a file. Adds a line per test to `why`, if given. Throws kBadFile if the tensors
// belong to a look-alike; an empty list means that nothing is known here.
std::vector<Component> detect(const std::shared_ptr<const WeightIndex>& index,
                              std::vector<std::string>* why = nullptr);

// The file's weights that belong to none of its components, and a sentence about them, if there are
// any. Files without components have none.
std::vector<std::string> orphans(const WeightIndex& index, std::span<const Component> components);
std::optional<std::string> orphan_notice(const WeightIndex& index,
                                         std::span<const Component> components);

// What loading a component found.
struct LoadReport {
  size_t used = 0;
  std::vector<std::string> unused;
  std::map<std::string, size_t> formats;
  uint64_t weight_bytes = 0;  // of the tensors used
};

// A component's model with its weights. Model is Denoiser, TextEncoder or Vae.
template <class Model>
struct Loaded {
  Component component;
  std::unique_ptr<Binding> binding;
  std::unique_ptr<Model> model;
  LoadReport report;
};

// Throw kBadFile if a tensor is missing or does not fit the others, and if nothing asks for a
// tensor whose name begins as a used one does ("double_blocks"), or for more than 1 % of the
// component's bytes; with `strict`, if nothing asks for any tensor of the component.
Loaded<Denoiser> load_denoiser(const Component& component, bool strict);
Loaded<TextEncoder> load_text_encoder(const Component& component, bool strict);
Loaded<Vae> load_vae(const Component& component, bool strict);

}  // namespace tintype
