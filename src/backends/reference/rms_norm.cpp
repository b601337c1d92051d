#include <cmath>

#include "backends/reference/element.h"
#include "backends/reference/kernels.h"

namespace tintype::reference {
namespace {

struct RmsNormRun final : Prepared {
  RmsNormRun(const NodeView& node, const DeviceFacts&) : eps(node.node.attr<NormAttrs>().eps) {}

  void run(const Buffers& b) const noexcept override {
    const View &x = b.in[0], &scale = b.in[1], &out = b.out[0];
    const Dim n = x.shape().cols();
    for_each_row(x.shape(), [&](const Index& row) {
      const Dim from = offset_of(x, x.shape(), row), to = offset_of(out, x.shape(), row);
      const auto at = [&](Dim i) { return load(x, from + i * x.stride(-1)); };
      double squares = 0;
      for (Dim i = 0; i < n; ++i) squares += at(i) * at(i);
      const double factor = 1 / std::sqrt(squares / static_cast<double>(n) + eps);
      for (Dim i = 0; i < n; ++i)
        store(out, to + i * out.stride(-1), at(i) * factor * load(scale, i * scale.stride(0)));
    });
  }

  double eps;
};

}  // namespace

const Kernel kRmsNorm{
    .id = "reference.rms_norm",
    .op = Op::kRmsNorm,
    .needs = {.in = Access::kAny, .out = Access::kAny},
    .prepare = prepare<RmsNormRun>,
};

}  // namespace tintype::reference
