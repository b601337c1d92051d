#include "graph/kernel.h"

#include <algorithm>

#include "base/error.h"

namespace tintype {
namespace {

template <class T>
bool listed(std::initializer_list<T> list, const T& item) {
  return list.size() == 0 || std::ranges::find(list, item) != list.end();
}

// Empty if `kernel` can run `node`, else the need that is not met.
std::string refusal(const Kernel& kernel, const Node& node, const DeviceFacts& facts) {
  const Needs& needs = kernel.needs;
  if (facts.isa < needs.isa) return concat_text("needs ", name(needs.isa));
  if (needs.int8_dot && !facts.int8_dot) return "needs VNNI";
  const bool fast_bf16 = facts.bf16_dot || facts.amx;
  if (!node.inputs.empty()) {
    const TensorType& x = node.inputs[0].type();
    if (!listed(needs.dtypes, x.dtype)) return concat_text("does not take ", x.dtype);
    if (needs.bf16_if_bf16 && x.dtype == DType::kBF16 && !fast_bf16)
      return "needs a CPU that multiplies bf16";
    if (needs.max_rows > 0 && x.shape.rows() > needs.max_rows)
      return concat_text("takes up to ", needs.max_rows, " rows, there are ", x.shape.rows());
  }
  for (const RowSlice& s : node.weight)
    if (!listed(needs.formats, s.parameter->format->name()))
      return concat_text("does not read ", s.parameter->format->name());
  return {};
}

}  // namespace

std::string_view name(Isa isa) {
  constexpr std::string_view kNames[] = {"scalar", "avx2", "avx512"};
  return kNames[static_cast<size_t>(isa)];
}

bool fits(const Layout& layout, Access access) {
  switch (access) {
    case Access::kDense:
      return layout.is_dense();
    case Access::kMatrix:
      return layout.is_matrix();
    case Access::kRows:
      return layout.has_dense_last();
    case Access::kAny:
      return true;
  }
  return false;
}

const Kernel& choose_kernel(const Backend& backend, const Node& node, const DeviceFacts& facts,
                            const RouteRules& rules) {
  std::string reasons;
  for (const Kernel* kernel : backend.kernels) {
    if (kernel->op != node.op) continue;
    std::string reason = refusal(*kernel, node, facts);
    if (std::ranges::find(rules.excluded, kernel->id) != rules.excluded.end())
      reason = "is excluded";
    for (const auto& [op, id] : rules.forced)
      if (op == name(node.op) && id != kernel->id) reason = concat_text("is not ", id);
    if (reason.empty()) return *kernel;
    reasons += concat_text(reasons.empty() ? "" : "; ", kernel->id, " ", reason);
  }
  fail(ErrorCode::kMachine, node.layer, ": no kernel of ", backend.name, " can run ", name(node.op),
       " here (", reasons.empty() ? "there is none" : reasons, ")");
}

double planned_cost(const Node& node) {
  const Shape& out = node.outputs[0].shape;
  double moved = static_cast<double>(out.elements());
  for (const Tensor& in : node.inputs) moved += static_cast<double>(in.shape().elements());
  double products = 0;
  for (const RowSlice& s : node.weight)
    if (node.op != Op::kEmbedding && node.op != Op::kWeight)
      products += static_cast<double>(s.rows * s.parameter->cols());
  products *=
      static_cast<double>(out.elements()) / static_cast<double>(std::max<Dim>(1, out.cols()));
  if (node.op == Op::kAttend)
    products =
        2.0 * static_cast<double>(out.elements()) * static_cast<double>(node.inputs[1].dim(1));
  return products + 50.0 * moved;  // moving one element costs about as much as 50 multiply-adds
}

}  // namespace tintype
