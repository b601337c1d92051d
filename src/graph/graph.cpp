#include "graph/graph.h"

#include <algorithm>
#include <functional>

#include "base/error.h"

namespace tintype {
namespace {

size_t mix(size_t seed, size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15u + (seed << 6) + (seed >> 2));
}

// Attributes are left out: nodes that differ in them alone are rare enough to be compared.
size_t hash_of(const Node& node) {
  size_t hash = static_cast<size_t>(node.op);
  for (const Tensor& t : node.inputs)
    hash = mix(mix(hash, static_cast<size_t>(t.node().id)), static_cast<size_t>(t.output()));
  for (const RowSlice& s : node.weight) {
    hash = mix(hash, std::hash<const void*>{}(s.parameter));
    hash = mix(mix(hash, static_cast<size_t>(s.first)), static_cast<size_t>(s.rows));
  }
  return hash;
}

bool same(const Node& a, const Node& b) {
  return a.op == b.op && a.inputs == b.inputs && a.weight == b.weight && a.outputs == b.outputs &&
         a.rate == b.rate && a.attrs == b.attrs;
}

}  // namespace

Graph& Tensor::graph() const { return *node_->graph; }

const TensorType& Tensor::type() const { return node_->outputs[static_cast<size_t>(output_)]; }

bool ConstantAttrs::operator==(const ConstantAttrs& other) const {
  return value == other.value ||
         (value->dtype() == other.value->dtype() && value->shape() == other.value->shape() &&
          std::ranges::equal(value->bytes(), other.value->bytes()));
}

Tensor Graph::input(const std::string& name, const Shape& shape, DType dtype, Rate rate) {
  for (const NamedTensor& known : inputs_)
    check(known.name != name, ErrorCode::kFailed, "input ", name, " is declared twice");
  Tensor made = node({.op = Op::kInput,
                      .attrs = InputAttrs{name},
                      .outputs = {{dtype, shape}},
                      .rate = rate,
                      .layer = name});
  inputs_.push_back({name, made});
  return made;
}

Tensor Graph::constant(Array value) {
  const TensorType type{value.dtype(), value.shape()};
  return node({.op = Op::kConstant,
               .attrs = ConstantAttrs{std::make_shared<const Array>(std::move(value))},
               .outputs = {type},
               .layer = "constant"});
}

void Graph::output(const std::string& name, Tensor value) { outputs_.push_back({name, value}); }

Tensor Graph::node(Node node) {
  node.graph = this;
  for (const Tensor& t : node.inputs) {
    TINTYPE_ASSERT(&t.graph() == this);
    node.rate = std::max(node.rate, t.node().rate);
    if (node.layer.empty()) node.layer = t.node().layer;
  }
  const size_t hash = hash_of(node);
  const auto [begin, end] = known_.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (same(*it->second, node)) return {it->second, 0};

  node.id = static_cast<int>(nodes_.size());
  nodes_.push_back(std::move(node));
  known_.emplace(hash, &nodes_.back());
  return {&nodes_.back(), 0};
}

std::string_view name(Op op) {
  constexpr std::string_view kNames[] = {
      "input",    "constant",    "weight",     "reshape",   "permute",    "slice",
      "copy",     "concat",      "embedding",  "take_rows", "argmax",     "upsample",
      "add",      "mul",         "gated_add",  "affine",    "silu",       "gelu_tanh",
      "gelu_erf", "quick_gelu",  "layer_norm", "rms_norm",  "group_norm", "quantise_rows",
      "linear",   "int8_linear", "conv2d",     "attend",    "sinusoid",   "rope_table",
      "rope"};
  static_assert(std::size(kNames) == static_cast<size_t>(Op::kRope) + 1);
  return kNames[static_cast<size_t>(op)];
}

}  // namespace tintype
