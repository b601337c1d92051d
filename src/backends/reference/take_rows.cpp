#include "backends/reference/element.h"
#include "backends/reference/kernels.h"

namespace tintype::reference {
namespace {

struct TakeRowsRun final : Prepared {
  TakeRowsRun(const NodeView&, const DeviceFacts&) {}

  void run(const Buffers& b) const noexcept override {
    const View &x = b.in[0], &index = b.in[1], &out = b.out[0];
    for_each_index(out.shape(), [&](const Index& i) {
      const auto row = static_cast<Dim>(load(index, i[0] * index.stride(0)));
      const Dim from = offset_of(x, x.shape(), {i[0], row, i[1]});
      store(out, offset_of(out, out.shape(), i), load(x, from));
    });
  }
};

}  // namespace

const Kernel kTakeRows{
    .id = "reference.take_rows",
    .op = Op::kTakeRows,
    .needs = {.in = Access::kAny, .out = Access::kAny},
    .prepare = prepare<TakeRowsRun>,
};

}  // namespace tintype::reference
