#include <cstring>

#include "backends/cpu/kernel_list.h"

namespace tintype::cpu {
namespace {

struct TakeRowsRun final : Prepared {
  TakeRowsRun(const NodeView&, const DeviceFacts&) {}

  void run(const Buffers& b) const noexcept override {
    const View &x = b.in[0], &index = b.in[1], &out = b.out[0];
    const auto size = static_cast<Dim>(size_of(x.dtype));
    for (Dim i = 0; i < x.dim(0); ++i) {
      const Dim row = index.as<int32_t>()[i * index.stride(0)];
      const std::byte* from = x.data + (i * x.stride(0) + row * x.stride(1)) * size;
      std::memcpy(out.data + i * out.stride(0) * size, from, static_cast<size_t>(x.dim(2) * size));
    }
  }
};

}  // namespace

const Kernel kTakeRows{
    .id = "cpu.take_rows",
    .op = Op::kTakeRows,
    .needs = {.in = Access::kRows, .out = Access::kRows},
    .prepare = prepare<TakeRowsRun>,
};

}  // namespace tintype::cpu
