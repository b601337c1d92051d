#include "backends/cpu/walk.h"

#include <algorithm>
#include <vector>

#include "base/rounding.h"

namespace tintype::cpu {

Walk::Walk(const Shape& shape, std::span<const Layout> operands, Rows rows) {
  std::array<Axis, kMaxRank + 1> axes{};  // innermost first
  size_t count = 0;
  for (int a = shape.rank() - 1; a >= 0; --a) {
    Axis axis{.length = shape[a]};
    const bool is_row = rows == Rows::kLastAxis && a == shape.rank() - 1;
    if (axis.length == 1 && !is_row) continue;
    for (size_t i = 0; i < operands.size(); ++i) {
      const int own = a - shape.rank() + operands[i].shape.rank();
      if (own >= 0 && operands[i].shape[own] != 1)
        axis.strides[i] = operands[i].strides[static_cast<size_t>(own)];
    }
    const auto continues = [&](const Axis& inside) {
      for (size_t i = 0; i < operands.size(); ++i)
        if (axis.strides[i] != inside.strides[i] * inside.length) return false;
      return true;
    };
    const size_t mergeable = rows == Rows::kLastAxis ? 1 : 0;
    if (count > mergeable && continues(axes[count - 1])) {
      axes[count - 1].length *= axis.length;
    } else {
      axes[count++] = axis;
    }
  }

  // Rows are the innermost axis, unless an operand has gaps along it: then they are one element.
  size_t outer = 0;
  const auto dense = [](Dim stride) { return stride == 0 || stride == 1; };
  if (count > 0 && std::ranges::all_of(axes[0].strides, dense)) {
    cols_ = axes[0].length;
    inner_ = axes[0].strides;
    outer = 1;
  } else {
    inner_.fill(1);
  }
  for (; outer < count; ++outer) {
    rows_ *= axes[outer].length;
    axes_[rank_++] = axes[outer];
  }
  if (rows == Rows::kLastAxis) part_ = std::max<Dim>(1, cols_);
  parts_ = std::max<Dim>(1, divide_up(cols_, part_));
}

Dim Walk::grain() const { return std::max<Dim>(1, 4 * kPart / std::min(kPart, cols_)); }

Walk::Offsets Walk::offsets(Dim row, Dim col) const {
  Offsets at{};
  for (size_t i = 0; i < kMaxOperands; ++i) at[i] = col * inner_[i];
  for (size_t a = 0; a < rank_; ++a) {
    const Dim index = row % axes_[a].length;
    row /= axes_[a].length;
    for (size_t i = 0; i < kMaxOperands; ++i) at[i] += index * axes_[a].strides[i];
  }
  return at;
}

Walk walk_of(const NodeView& node, Walk::Rows rows) {
  std::vector<Layout> operands(node.in.begin(), node.in.end());
  operands.push_back(node.out[0]);
  return {node.out[0].shape, operands, rows};
}

}  // namespace tintype::cpu
