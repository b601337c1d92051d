#include <cmath>

#include "backends/reference/element.h"
#include "backends/reference/kernels.h"

namespace tintype::reference {
namespace {

struct LayerNormRun final : Prepared {
  LayerNormRun(const NodeView& node, const DeviceFacts&) : eps(node.node.attr<NormAttrs>().eps) {}

  void run(const Buffers& b) const noexcept override {
    const View& x = b.in[0];
    for_each_row(x.shape(), [&](const Index& row) { run_row(b, row); });
  }

  void run_row(const Buffers& b, const Index& row) const {
    const View &x = b.in[0], &out = b.out[0];
    const Shape& shape = x.shape();
    const Dim n = shape.cols(), start = offset_of(x, shape, row);
    const auto at = [&](Dim i) { return load(x, start + i * x.stride(-1)); };

    double mean = 0, variance = 0;
    for (Dim i = 0; i < n; ++i) mean += at(i);
    mean /= static_cast<double>(n);
    for (Dim i = 0; i < n; ++i) variance += (at(i) - mean) * (at(i) - mean);
    variance /= static_cast<double>(n);

    const double factor = 1 / std::sqrt(variance + eps);
    Index index = row;
    for (Dim& i = index[static_cast<size_t>(shape.rank() - 1)]; i < n; ++i) {
      double y = (at(i) - mean) * factor;
      if (b.in.size() == 3) {
        const View &scale = b.in[1], &shift = b.in[2];
        y = y * load(scale, offset_of(scale, shape, index)) +
            load(shift, offset_of(shift, shape, index));
      }
      store(out, offset_of(out, shape, index), y);
    }
  }

  double eps;
};

}  // namespace

const Kernel kLayerNorm{
    .id = "reference.layer_norm",
    .op = Op::kLayerNorm,
    .needs = {.in = Access::kAny, .out = Access::kAny},
    .prepare = prepare<LayerNormRun>,
};

}  // namespace tintype::reference
