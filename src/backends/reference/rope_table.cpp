#include <cmath>

#include "backends/reference/element.h"
#include "backends/reference/kernels.h"

namespace tintype::reference {
namespace {

struct RopeTableRun final : Prepared {
  RopeTableRun(const NodeView& node, const DeviceFacts&)
      : attrs(node.node.attr<RopeTableAttrs>()) {}

  void run(const Buffers& b) const noexcept override {
    const View &positions = b.in[0], &out = b.out[0];
    for (Dim s = 0; s < positions.dim(0); ++s) {
      Dim pair = 0;
      for (Dim a = 0; a < positions.dim(1); ++a) {
        const double position = load(positions, s * positions.stride(0) + a * positions.stride(1));
        const Dim dims = attrs.axes[static_cast<size_t>(a)];
        for (Dim j = 0; j < dims / 2; ++j, ++pair) {
          const double step = -2.0 * static_cast<double>(j) / static_cast<double>(dims);
          const double angle = position * std::pow(attrs.theta, step);
          store(out, offset_of(out, out.shape(), {s, pair, 0}), std::cos(angle));
          store(out, offset_of(out, out.shape(), {s, pair, 1}), std::sin(angle));
        }
      }
    }
  }

  RopeTableAttrs attrs;
};

}  // namespace

const Kernel kRopeTable{
    .id = "reference.rope_table",
    .op = Op::kRopeTable,
    .needs = {.in = Access::kAny, .out = Access::kAny},
    .prepare = prepare<RopeTableRun>,
};

}  // namespace tintype::reference
