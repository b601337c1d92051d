#include "backends/cpu/pointwise.h"

namespace tintype::cpu {

Pointwise::Pointwise(const NodeView& node, Choose choose)
    : walk_(walk_of(node)), row_(choose(node, walk_)) {}

Pointwise::Pointwise(const Walk& walk, RowFunction row) : walk_(walk), row_(row) {}

void Pointwise::run(const Buffers& buffers) const noexcept {
  parallel_walk(walk_, buffers, [&](const auto& operands, Dim n) { row_(operands.data(), n); });
}

}  // namespace tintype::cpu
