#include "backends/reference/element.h"
#include "backends/reference/kernels.h"

namespace tintype::reference {
namespace {

struct ArgmaxRun final : Prepared {
  ArgmaxRun(const NodeView&, const DeviceFacts&) {}

  void run(const Buffers& b) const noexcept override {
    const View &x = b.in[0], &out = b.out[0];
    const auto at = [&](Dim row, Dim col) {
      return load(x, row * x.stride(0) + col * x.stride(1));
    };
    for (Dim row = 0; row < x.dim(0); ++row) {
      Dim best = 0;
      for (Dim col = 1; col < x.dim(1); ++col)
        if (at(row, col) > at(row, best)) best = col;
      store(out, row * out.stride(0), static_cast<double>(best));
    }
  }
};

}  // namespace

const Kernel kArgmax{
    .id = "reference.argmax",
    .op = Op::kArgmax,
    .needs = {.in = Access::kAny, .out = Access::kAny},
    .prepare = prepare<ArgmaxRun>,
};

}  // namespace tintype::reference
