#include "backends/reference/element.h"
#include "backends/reference/kernels.h"

namespace tintype::reference {
namespace {

struct GatedAddRun final : Prepared {
  GatedAddRun(const NodeView&, const DeviceFacts&) {}

  void run(const Buffers& b) const noexcept override {
    const View &x = b.in[0], &gate = b.in[1], &y = b.in[2], &out = b.out[0];
    const Shape& shape = out.shape();
    for_each_index(shape, [&](const Index& i) {
      const double gated = load(gate, offset_of(gate, shape, i)) * load(y, offset_of(y, shape, i));
      store(out, offset_of(out, shape, i), load(x, offset_of(x, shape, i)) + gated);
    });
  }
};

}  // namespace

const Kernel kGatedAdd{
    .id = "reference.gated_add",
    .op = Op::kGatedAdd,
    .needs = {.in = Access::kAny, .out = Access::kAny, .in_place = true},
    .prepare = prepare<GatedAddRun>,
};

}  // namespace tintype::reference
