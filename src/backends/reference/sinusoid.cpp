#include <cmath>

#include "backends/reference/element.h"
#include "backends/reference/kernels.h"

namespace tintype::reference {
namespace {

struct SinusoidRun final : Prepared {
  SinusoidRun(const NodeView& node, const DeviceFacts&) : attrs(node.node.attr<SinusoidAttrs>()) {}

  void run(const Buffers& b) const noexcept override {
    const View &t = b.in[0], &out = b.out[0];
    const Dim half = attrs.dim / 2;
    for_each_index(out.shape(), [&](const Index& i) {
      const double step = -static_cast<double>(i[1] % half) / static_cast<double>(half);
      const double angle =
          attrs.factor * load(t, i[0] * t.stride(0)) * std::pow(attrs.max_period, step);
      store(out, offset_of(out, out.shape(), i), i[1] < half ? std::cos(angle) : std::sin(angle));
    });
  }

  SinusoidAttrs attrs;
};

}  // namespace

const Kernel kSinusoid{
    .id = "reference.sinusoid",
    .op = Op::kSinusoid,
    .needs = {.in = Access::kAny, .out = Access::kAny},
    .prepare = prepare<SinusoidRun>,
};

}  // namespace tintype::reference
