// Routes and values: what runs, on which memory. Views cost nothing; a part of a concat is written
// where it belongs by the kernel that makes it; copies are inserted where a kernel cannot read a
// layout.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/error.h"
#include "graph/ops.h"
#include "graph/plan.h"
#include "graph/rewrite.h"

namespace tintype {
namespace {

bool is_view(Op op) { return op == Op::kReshape || op == Op::kPermute || op == Op::kSlice; }

// Where indices [first, ...) along `axis` of `whole` lie.
Value part_of(const Value& whole, int axis, Dim first, const Shape& shape) {
  Value part = whole;
  const Dim stride = whole.layout.strides[static_cast<size_t>(axis)];
  part.offset += static_cast<size_t>(first * stride) * size_of(whole.dtype);
  part.layout.shape = shape;
  return part;
}

// True if every part of a concat was made where it belongs, so that nothing is left to do.
bool all_in_place(const Step& concat) {
  const int axis = concat.node->attr<ConcatAttrs>().axis;
  Dim first = 0;
  return std::ranges::all_of(concat.in, [&](const Value& v) {
    const Value place = part_of(concat.out[0], axis, first, v.layout.shape);
    first += v.layout.shape[axis];
    return v.buffer == place.buffer && v.offset == place.offset && v.layout == place.layout;
  });
}

using TensorKey = std::pair<int, int>;  // node id, output
TensorKey key(const Tensor& t) { return {t.node().id, t.output()}; }

class Lowering {
 public:
  Lowering(Plan& plan, const Backend& backend, const DeviceFacts& facts, const RouteRules& rules)
      : plan_(plan), graph_(*plan.graph), backend_(backend), facts_(facts), rules_(rules) {}

  void run() {
    deliver_outputs_as_f32();
    mark_needed();
    for (const Node& node : graph_.nodes())
      if (needed(node)) routes_[&node] = route(node);
    for (auto it = graph_.nodes().rbegin(); it != graph_.nodes().rend(); ++it)
      if (needed(*it) && it->op == Op::kConcat) home_parts(*it);
    emit(Rate::kJob);
    plan_.job_steps = static_cast<int>(plan_.steps.size());
    emit(Rate::kStep);
    for (const NamedTensor& in : graph_.inputs())
      if (values_.contains(key(in.tensor)))
        plan_.inputs.push_back({in.name, values_.at(key(in.tensor)), in.tensor.node().rate});
    for (const NamedTensor& out : outputs_)
      plan_.outputs.push_back({out.name, values_.at(key(out.tensor)), out.tensor.node().rate});
  }

 private:
  // Outputs leave as dense f32: a copy is added where they are not.
  void deliver_outputs_as_f32() {
    for (const NamedTensor& out : graph_.outputs()) {
      const bool ready = out.tensor.dtype() == DType::kF32 && !is_view(out.tensor.node().op) &&
                         out.tensor.node().op != Op::kInput;
      outputs_.push_back({out.name, ready ? out.tensor : dense_copy(out.tensor, DType::kF32)});
    }
  }

  Tensor dense_copy(Tensor x, DType dtype) {
    return graph_.node({.op = Op::kCopy, .inputs = {x}, .outputs = {{dtype, x.shape()}}});
  }

  void mark_needed() {
    needed_.assign(graph_.nodes().size(), false);
    for (const NamedTensor& out : outputs_) needed_[index(out.tensor.node())] = true;
    for (auto it = graph_.nodes().rbegin(); it != graph_.nodes().rend(); ++it)
      if (needed(*it))
        for (const Tensor& input : it->inputs) needed_[index(input.node())] = true;
  }

  static size_t index(const Node& node) { return static_cast<size_t>(node.id); }
  bool needed(const Node& node) const { return needed_[index(node)]; }

  const Kernel* route(const Node& node) const {
    if (is_view(node.op) || node.op == Op::kInput || node.op == Op::kConstant) return nullptr;
    return &choose_kernel(backend_, node, facts_, rules_);
  }

  // ---- homes: parts of a concat that are made in place ----

  void home_parts(const Node& concat) {
    const Tensor whole(&concat, 0);
    if (!homes_.contains(key(whole))) homes_[key(whole)] = fresh(whole);
    const Value home = homes_.at(key(whole));
    const int axis = concat.attr<ConcatAttrs>().axis;
    Dim first = 0;
    for (const Tensor& part : concat.inputs) {
      if (part.node().rate == concat.rate)
        offer_home(part, part_of(home, axis, first, part.shape()));
      first += part.dim(axis);
    }
  }

  bool is_output(const Tensor& t) const {
    return std::ranges::any_of(outputs_, [&](const NamedTensor& out) { return out.tensor == t; });
  }

  // Lets `t` be made at `place`, if what makes it can write there. Outputs stay dense.
  void offer_home(const Tensor& t, Value place) {
    if (is_output(t)) return;
    const Node& node = t.node();
    if (node.op == Op::kReshape) {
      const auto layout = reshaped(place.layout, node.inputs[0].shape());
      if (!layout) return;
      place.layout = *layout;
      offer_home(node.inputs[0], place);
    } else if (const Kernel* kernel = routes_.at(&node)) {
      if (fits(place.layout, kernel->needs.out)) homes_.try_emplace(key(t), place);
    }
  }

  // ---- steps ----

  Value fresh(const Tensor& t) {
    const size_t bytes = static_cast<size_t>(t.shape().elements()) * size_of(t.dtype());
    plan_.buffers.push_back({.bytes = bytes});
    return {static_cast<int>(plan_.buffers.size()) - 1, 0, t.dtype(), Layout::dense(t.shape())};
  }

  void emit(Rate rate) {
    const size_t count = needed_.size();  // copies made on the way are emitted at once
    for (size_t i = 0; i < count; ++i) {
      const Node& node = graph_.nodes()[i];
      if (needed_[i] && node.rate == rate) emit(node);
    }
  }

  void emit(const Node& node) {
    const Tensor t(&node, 0);
    if (values_.contains(key(t))) return;  // a dense copy that was wanted earlier
    if (node.op == Op::kInput) {
      values_[key(t)] = fresh(t);
    } else if (node.op == Op::kConstant) {
      values_[key(t)] = fresh(t);
      plan_.buffers.back().constant = node.attr<ConstantAttrs>().value->bytes().data();
    } else if (is_view(node.op)) {
      values_[key(t)] = view(node);
    } else {
      add_step(node, *routes_.at(&node));
    }
  }

  Value view(const Node& node) {
    Value v = values_.at(key(node.inputs[0]));
    if (node.op == Op::kPermute) {
      const auto& axes = node.attr<PermuteAttrs>().axes;
      v.layout =
          permuted(v.layout, std::span(axes).first(static_cast<size_t>(node.inputs[0].rank())));
    } else if (node.op == Op::kSlice) {
      const auto& [axis, first] = node.attr<SliceAttrs>();
      v = part_of(v, axis, first, node.outputs[0].shape);
    } else if (const auto layout = reshaped(v.layout, node.outputs[0].shape)) {
      v.layout = *layout;
    } else {
      v = dense_value(node.inputs[0]);
      v.layout = Layout::dense(node.outputs[0].shape);
    }
    return v;
  }

  // The value of a dense copy of `t`, made now unless there is one.
  Value dense_value(const Tensor& t) {
    const Tensor copy = dense_copy(t, t.dtype());
    if (!values_.contains(key(copy)))
      add_step(copy.node(), choose_kernel(backend_, copy.node(), facts_, rules_));
    return values_.at(key(copy));
  }

  void add_step(const Node& node, const Kernel& kernel) {
    Step step{.node = &node, .kernel = &kernel, .prepared = nullptr, .in = {}, .out = {}};
    for (const Tensor& input : node.inputs) {
      const Value& v = values_.at(key(input));
      step.in.push_back(fits(v.layout, kernel.needs.in) ? v : dense_value(input));
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const Tensor out(&node, static_cast<int>(i));
      const auto home = homes_.find(key(out));
      step.out.push_back(home != homes_.end() ? home->second : fresh(out));
      values_[key(out)] = step.out.back();
    }
    if (node.op == Op::kConcat && all_in_place(step)) return;
    prepare_step(step, kernel);
    plan_.steps.push_back(std::move(step));
  }

  void prepare_step(Step& step, const Kernel& kernel) {
    std::vector<Layout> in, out;
    for (const Value& v : step.in) in.push_back(v.layout);
    for (const Value& v : step.out) out.push_back(v.layout);
    step.prepared = kernel.prepare({*step.node, in, out}, facts_);
    step.cost = planned_cost(*step.node);
    plan_.prepared_bytes += step.prepared->resident_bytes();
    if (const size_t bytes = step.prepared->scratch_bytes()) {
      plan_.buffers.push_back({.bytes = bytes});
      step.scratch = static_cast<int>(plan_.buffers.size()) - 1;
    }
  }

  Plan& plan_;
  Graph& graph_;
  const Backend& backend_;
  const DeviceFacts& facts_;
  const RouteRules& rules_;
  std::vector<NamedTensor> outputs_;
  std::vector<bool> needed_;
  std::unordered_map<const Node*, const Kernel*> routes_;
  std::map<TensorKey, Value> homes_, values_;
};

void list_weights(Plan& plan) {
  std::unordered_map<const Parameter*, int> known;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    auto& used = plan.weights_of_step.emplace_back();
    for (const RowSlice& s : plan.steps[i].node->weight) {
      const auto [it, added] =
          known.try_emplace(s.parameter, static_cast<int>(plan.weights.size()));
      if (added) plan.weights.push_back({s.parameter, s.parameter->stored_bytes()});
      plan.weights[static_cast<size_t>(it->second)].last = static_cast<int>(i);
      used.push_back(it->second);
    }
  }
}

}  // namespace

Plan lower(const Graph& graph, const Backend& backend, const DeviceFacts& facts,
           const PlanOptions& options) {
  Plan plan;
  plan.graph = rewrite(graph, {.weight_only = options.weight_only});
  plan.threads = facts.threads;
  Lowering(plan, backend, facts, options.routes).run();
  list_weights(plan);
  for (size_t i = 0; i < plan.steps.size(); ++i)
    (static_cast<int>(i) < plan.job_steps ? plan.job_cost : plan.step_cost) += plan.steps[i].cost;
  return plan;
}

Plan make_plan(const Graph& graph, const Backend& backend, const DeviceFacts& facts,
               const PlanOptions& options) {
  Plan plan = lower(graph, backend, facts, options);
  place_buffers(plan);
  place_weights(plan, options.budget);
  return plan;
}

}  // namespace tintype
