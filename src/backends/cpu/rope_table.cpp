#include <cmath>

#include "backends/cpu/kernel_list.h"
#include "base/parallel.h"

namespace tintype::cpu {
namespace {

struct RopeTableRun final : Prepared {
  RopeTableRun(const NodeView& node, const DeviceFacts&) {
    const auto& attrs = node.node.attr<RopeTableAttrs>();
    for (size_t axis = 0; axis < attrs.axes.size(); ++axis)
      for (Dim j = 0; j < attrs.axes[axis] / 2; ++j) {
        const double step = -2.0 * static_cast<double>(j) / static_cast<double>(attrs.axes[axis]);
        pairs.push_back({static_cast<Dim>(axis), std::pow(attrs.theta, step)});
      }
  }

  void run(const Buffers& b) const noexcept override {
    const View &positions = b.in[0], &out = b.out[0];
    parallel_for(positions.dim(0), [&](Dim s) {
      const float* position = positions.as<float>() + s * positions.stride(0);
      float* to = out.as<float>() + s * out.stride(0);
      for (const auto& [axis, frequency] : pairs) {
        const double angle = position[axis] * frequency;
        to[0] = static_cast<float>(std::cos(angle));
        to[1] = static_cast<float>(std::sin(angle));
        to += out.stride(1);
      }
    });
  }

  struct Pair {
    Dim axis;
    double frequency;
  };
  std::vector<Pair> pairs;
};

}  // namespace

const Kernel kRopeTable{
    .id = "cpu.rope_table",
    .op = Op::kRopeTable,
    .needs = {.in = Access::kRows, .out = Access::kRows},
    .prepare = prepare<RopeTableRun>,
};

}  // namespace tintype::cpu
