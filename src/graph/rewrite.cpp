#include "graph/rewrite.h"

#include <unordered_map>

#include "graph/ops.h"

namespace tintype {
namespace {

class Rewriter {
 public:
  Rewriter(const Graph& from, const RewriteOptions& options)
      : from_(from), options_(options), to_(std::make_unique<Graph>(from.activation())) {
    count_uses();
  }

  std::unique_ptr<Graph> run() && {
    for (const NamedTensor& in : from_.inputs())
      made_[&in.tensor.node()] =
          to_->input(in.name, in.tensor.shape(), in.tensor.dtype(), in.tensor.node().rate);
    for (const Node& node : from_.nodes())
      if (uses_.contains(&node) && node.op != Op::kInput) made_[&node] = rewritten(node);
    for (const NamedTensor& out : from_.outputs()) to_->output(out.name, mapped(out.tensor));
    return std::move(to_);
  }

 private:
  void count_uses() {
    for (const NamedTensor& out : from_.outputs()) ++uses_[&out.tensor.node()];
    for (auto it = from_.nodes().rbegin(); it != from_.nodes().rend(); ++it)
      if (uses_.contains(&*it))
        for (const Tensor& input : it->inputs) ++uses_[&input.node()];
  }

  Tensor mapped(const Tensor& old) const { return {&made_.at(&old.node()).node(), old.output()}; }

  Tensor rewritten(const Node& node) {
    Tensor fused;
    if (node.op == Op::kLinear) return expanded_linear(node);
    if (node.op == Op::kAdd && (fused = modulated_norm(node))) return fused;
    if (node.op == Op::kAdd && (fused = gated_sum(node))) return fused;
    if (node.op == Op::kSilu && (fused = norm_with_silu(node))) return fused;
    Node copy = node;
    for (Tensor& input : copy.inputs) input = mapped(input);
    return to_->node(std::move(copy));
  }

  // ---- expansion ----

  Tensor expanded_linear(const Node& node) {
    const Tensor x = mapped(node.inputs[0]);
    const Tensor bias = node.inputs.size() > 1 ? mapped(node.inputs[1]) : Tensor{};
    std::vector<Tensor> parts;
    Dim first = 0;
    for (const RowSlice& s : joined(node.weight)) {
      const Tensor part_bias = bias ? slice(bias, 0, first, s.rows) : bias;
      parts.push_back(product(x, s, part_bias, node.layer));
      first += s.rows;
    }
    return concat(parts, -1);
  }

  Tensor product(Tensor x, const RowSlice& s, Tensor bias, const std::string& layer) const {
    const Parameter& p = *s.parameter;
    const bool codes =
        !options_.weight_only && p.format->activation(p) == ActivationCodes::kInt8Rows;
    if (!codes) return linear(x, {s}, bias, layer);
    const auto [q, scale] = quantise_rows(x, p.rotation);
    return int8_linear(q, scale, s, bias, layer);
  }

  // Neighbouring slices of one parameter as one.
  static std::vector<RowSlice> joined(const std::vector<RowSlice>& slices) {
    std::vector<RowSlice> out;
    for (const RowSlice& s : slices) {
      if (!out.empty() && out.back().parameter == s.parameter &&
          out.back().first + out.back().rows == s.first) {
        out.back().rows += s.rows;
      } else {
        out.push_back(s);
      }
    }
    return out;
  }

  // ---- fusion ----

  // The node behind `t`, if it is an `op` and nobody else reads it.
  const Node* only(const Tensor& t, Op op) const {
    const Node& node = t.node();
    return node.op == op && uses_.at(&node) == 1 ? &node : nullptr;
  }

  // layer_norm(x) * scale + shift
  Tensor modulated_norm(const Node& add) {
    for (size_t side : {size_t{0}, size_t{1}}) {
      const Node* mul = only(add.inputs[side], Op::kMul);
      if (!mul) continue;
      for (size_t at : {size_t{0}, size_t{1}}) {
        const Node* norm = only(mul->inputs[at], Op::kLayerNorm);
        if (!norm || norm->inputs.size() > 1 || norm->outputs[0] != add.outputs[0]) continue;
        return layer_norm(mapped(norm->inputs[0]), norm->attr<NormAttrs>().eps,
                          mapped(mul->inputs[1 - at]), mapped(add.inputs[1 - side]));
      }
    }
    return {};
  }

  // x + gate * y, where y is as large as x
  Tensor gated_sum(const Node& add) {
    for (size_t side : {size_t{1}, size_t{0}}) {
      const Node* mul = only(add.inputs[side], Op::kMul);
      const Tensor x = add.inputs[1 - side];
      if (!mul || x.type() != mul->inputs[0].type() || x.type() != add.outputs[0]) continue;
      return gated_add(mapped(x), mapped(mul->inputs[1]), mapped(mul->inputs[0]));
    }
    return {};
  }

  Tensor norm_with_silu(const Node& silu) {
    const Node* norm = only(silu.inputs[0], Op::kGroupNorm);
    if (!norm) return {};
    Node fused = *norm;
    for (Tensor& input : fused.inputs) input = mapped(input);
    std::get<GroupNormAttrs>(fused.attrs).silu = true;
    return to_->node(std::move(fused));
  }

  const Graph& from_;
  RewriteOptions options_;
  std::unique_ptr<Graph> to_;
  std::unordered_map<const Node*, int> uses_;  // reachable nodes only
  std::unordered_map<const Node*, Tensor> made_;
};

}  // namespace

std::unique_ptr<Graph> rewrite(const Graph& graph, const RewriteOptions& options) {
  return Rewriter(graph, options).run();
}

}  // namespace tintype
