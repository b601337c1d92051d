#include "backends/reference/element.h"
#include "backends/reference/kernels.h"

namespace tintype::reference {
namespace {

struct AffineRun final : Prepared {
  AffineRun(const NodeView& node, const DeviceFacts&) : attrs(node.node.attr<AffineAttrs>()) {}

  void run(const Buffers& b) const noexcept override {
    const View &x = b.in[0], &out = b.out[0];
    for_each_index(out.shape(), [&](const Index& i) {
      const double value = load(x, offset_of(x, out.shape(), i));
      store(out, offset_of(out, out.shape(), i), attrs.scale * value + attrs.offset);
    });
  }

  AffineAttrs attrs;
};

}  // namespace

const Kernel kAffine{
    .id = "reference.affine",
    .op = Op::kAffine,
    .needs = {.in = Access::kAny, .out = Access::kAny, .in_place = true},
    .prepare = prepare<AffineRun>,
};

}  // namespace tintype::reference
