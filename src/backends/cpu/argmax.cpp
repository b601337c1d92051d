#include <algorithm>

#include "backends/cpu/kernel_list.h"

namespace tintype::cpu {
namespace {

struct ArgmaxRun final : Prepared {
  ArgmaxRun(const NodeView&, const DeviceFacts&) {}

  void run(const Buffers& b) const noexcept override {
    const View &x = b.in[0], &out = b.out[0];
    for (Dim i = 0; i < x.dim(0); ++i) {
      const int32_t* row = x.as<int32_t>() + i * x.stride(0);
      const auto best = std::max_element(row, row + x.dim(1)) - row;  // the first of equals
      out.as<int32_t>()[i * out.stride(0)] = static_cast<int32_t>(best);
    }
  }
};

}  // namespace

const Kernel kArgmax{
    .id = "cpu.argmax",
    .op = Op::kArgmax,
    .needs = {.in = Access::kRows, .out = Access::kRows},
    .prepare = prepare<ArgmaxRun>,
};

}  // namespace tintype::cpu
