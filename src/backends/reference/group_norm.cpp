#include <cmath>

#include "backends/reference/element.h"
#include "backends/reference/kernels.h"

namespace tintype::reference {
namespace {

struct GroupNormRun final : Prepared {
  GroupNormRun(const NodeView& node, const DeviceFacts&)
      : attrs(node.node.attr<GroupNormAttrs>()) {}

  void run(const Buffers& b) const noexcept override {
    for (Dim image = 0; image < b.in[0].dim(0); ++image)
      for (Dim group = 0; group < attrs.groups; ++group) run_group(b, image, group);
  }

  void run_group(const Buffers& b, Dim image, Dim group) const {
    const View &x = b.in[0], &scale = b.in[1], &shift = b.in[2], &out = b.out[0];
    const Dim channels = x.dim(3) / attrs.groups, first = group * channels;
    const Shape part{1, x.dim(1), x.dim(2), channels};
    const auto place = [&](const View& view, const Index& i) {
      return offset_of(view, view.shape(), {image, i[1], i[2], first + i[3]});
    };

    const auto count = static_cast<double>(part.elements());
    double mean = 0, variance = 0;
    for_each_index(part, [&](const Index& i) { mean += load(x, place(x, i)); });
    mean /= count;
    for_each_index(part, [&](const Index& i) {
      const double d = load(x, place(x, i)) - mean;
      variance += d * d;
    });
    const double factor = 1 / std::sqrt(variance / count + attrs.eps);

    for_each_index(part, [&](const Index& i) {
      const Dim c = first + i[3];
      double y = (load(x, place(x, i)) - mean) * factor * load(scale, c * scale.stride(0)) +
                 load(shift, c * shift.stride(0));
      if (attrs.silu) y /= 1 + std::exp(-y);
      store(out, place(out, i), y);
    });
  }

  GroupNormAttrs attrs;
};

}  // namespace

const Kernel kGroupNorm{
    .id = "reference.group_norm",
    .op = Op::kGroupNorm,
    .needs = {.in = Access::kAny, .out = Access::kAny},
    .prepare = prepare<GroupNormRun>,
};

}  // namespace tintype::reference
