#include "backends/reference/element.h"
#include "backends/reference/kernels.h"
#include "backends/reference/weight_rows.h"

namespace tintype::reference {
namespace {

struct Conv2dRun final : Prepared {
  Conv2dRun(const NodeView& node, const DeviceFacts&)
      : attrs(node.node.attr<Conv2dAttrs>()),
        kernel(node.node.weight[0].parameter->shape),
        weight(node.node.weight) {}

  size_t scratch_bytes() const override { return weight.scratch_bytes(); }

  void run(const Buffers& b) const noexcept override {
    const View& out = b.out[0];
    for (Dim channel = 0; channel < out.dim(3); ++channel) {
      const auto w = weight.decode(channel, b.scratch);
      const double bias = b.in.size() > 1 ? load(b.in[1], channel * b.in[1].stride(0)) : 0;
      for_each_index({out.dim(0), out.dim(1), out.dim(2)}, [&](Index i) {
        i[3] = channel;
        store(out, offset_of(out, out.shape(), i), bias + pixel(b.in[0], i, w.data()));
      });
    }
  }

  // w is [I, kh, kw].
  double pixel(const View& x, const Index& at, const float* w) const {
    double sum = 0;
    for_each_index({kernel[1], kernel[2], kernel[3]}, [&](const Index& k) {
      const Dim row = at[1] * attrs.stride + k[1] - attrs.top;
      const Dim col = at[2] * attrs.stride + k[2] - attrs.left;
      const float factor = *w++;
      if (row >= 0 && row < x.dim(1) && col >= 0 && col < x.dim(2))
        sum += factor * load(x, offset_of(x, x.shape(), {at[0], row, col, k[0]}));
    });
    return sum;
  }

  Conv2dAttrs attrs;
  Shape kernel;  // [O, I, kh, kw]
  WeightRows weight;
};

}  // namespace

const Kernel kConv2d{
    .id = "reference.conv2d",
    .op = Op::kConv2d,
    .needs = {.in = Access::kAny, .out = Access::kAny},
    .prepare = prepare<Conv2dRun>,
};

}  // namespace tintype::reference
