#include "backends/reference/element.h"
#include "backends/reference/kernels.h"
#include "backends/reference/weight_rows.h"

namespace tintype::reference {
namespace {

struct LinearRun final : Prepared {
  LinearRun(const NodeView& node, const DeviceFacts&) : weight(node.node.weight) {}

  size_t scratch_bytes() const override { return weight.scratch_bytes(); }

  void run(const Buffers& b) const noexcept override {
    const View &x = b.in[0], &out = b.out[0];
    for (Dim n = 0; n < weight.rows(); ++n) {
      const auto w = weight.decode(n, b.scratch);
      const double bias = b.in.size() > 1 ? load(b.in[1], n * b.in[1].stride(0)) : 0;
      for_each_row(x.shape(), [&](const Index& row) {
        const Dim from = offset_of(x, x.shape(), row);
        double sum = bias;
        for (size_t k = 0; k < w.size(); ++k)
          sum += load(x, from + static_cast<Dim>(k) * x.stride(-1)) * w[k];
        store(out, offset_of(out, x.shape(), row) + n * out.stride(-1), sum);
      });
    }
  }

  WeightRows weight;
};

}  // namespace

const Kernel kLinear{
    .id = "reference.linear",
    .op = Op::kLinear,
    .needs = {.in = Access::kAny, .out = Access::kAny},
    .prepare = prepare<LinearRun>,
};

}  // namespace tintype::reference
