// Weights as a model sees them: by the names of the original checkpoint, whatever the file calls
// them. A name resolves to row slices of stored parameters; no byte moves.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "formats/weight_index.h"
#include "nn/key_map.h"

namespace tintype {

// Ties one component of a file to its layout, and records what was asked for.
class Binding {
 public:
  // `label` names the component in errors; `prefix` is stripped from the file's names.
  Binding(std::shared_ptr<const WeightIndex> index, std::string label, std::string prefix,
          const NameLayout& layout);

  // Row slices of tensor `module.leaf`; empty if the file lacks it. Throws kBadFile if it is there
  // in part, or cannot be cut where the layout wants.
  std::vector<RowSlice> find(const std::string& module, std::string_view leaf);

  const WeightIndex& index() const { return *index_; }
  const std::string& label() const { return label_; }
  const std::string& prefix() const { return prefix_; }
  const NameLayout& layout() const { return layout_; }
  const std::set<const Parameter*>& used() const { return used_; }

 private:
  std::shared_ptr<const WeightIndex> index_;
  std::string label_, prefix_;
  const NameLayout& layout_;
  std::set<const Parameter*> used_;
};

// A view of a binding below one module. Cheap to copy; the binding must outlive it.
class Weights {
 public:
  explicit Weights(Binding& binding, std::string module = {})
      : binding_(&binding), module_(std::move(module)) {}

  Weights at(const std::string& child) const;
  Weights at(const std::string& list, int index) const;  // "double_blocks", 3

  bool has(std::string_view leaf = "weight") const;
  std::vector<RowSlice> find(std::string_view leaf) const { return binding_->find(module_, leaf); }
  // Throws kBadFile naming the tensor if it is missing.
  std::vector<RowSlice> rows(std::string_view leaf = "weight") const;
  // Logical shape of the tensor, slices stacked.
  Shape shape(std::string_view leaf = "weight") const;
  // How many of list.0, list.1 … there are, told by weights of any of `modules`.
  int count(const std::string& list, std::initializer_list<const char*> modules) const;

  const std::string& module() const { return module_; }
  // For messages: the file, the component, and the module: "ae.safetensors: kl-16:
  // decoder.conv_in".
  std::string where() const;

 private:
  Binding* binding_;
  std::string module_;
};

}  // namespace tintype
