#include "backends/reference/element.h"
#include "backends/reference/kernels.h"

namespace tintype::reference {
namespace {

struct UpsampleRun final : Prepared {
  UpsampleRun(const NodeView&, const DeviceFacts&) {}

  void run(const Buffers& b) const noexcept override {
    const View &x = b.in[0], &out = b.out[0];
    for_each_index(out.shape(), [&](const Index& i) {
      const Dim from = offset_of(x, x.shape(), {i[0], i[1] / 2, i[2] / 2, i[3]});
      store(out, offset_of(out, out.shape(), i), load(x, from));
    });
  }
};

}  // namespace

const Kernel kUpsample{
    .id = "reference.upsample",
    .op = Op::kUpsample,
    .needs = {.in = Access::kAny, .out = Access::kAny},
    .prepare = prepare<UpsampleRun>,
};

}  // namespace tintype::reference
