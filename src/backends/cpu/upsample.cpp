#include <cstring>

#include "backends/cpu/kernel_list.h"
#include "base/parallel.h"

namespace tintype::cpu {
namespace {

struct UpsampleRun final : Prepared {
  UpsampleRun(const NodeView&, const DeviceFacts&) {}

  void run(const Buffers& b) const noexcept override {
    const View &x = b.in[0], &out = b.out[0];
    const auto size = static_cast<Dim>(size_of(x.dtype));
    const auto pixel = static_cast<size_t>(x.dim(3) * size);
    parallel_for(out.dim(0) * out.dim(1), [&](Dim line) {
      const Dim image = line / out.dim(1), y = line % out.dim(1);
      const std::byte* from = x.data + (image * x.stride(0) + y / 2 * x.stride(1)) * size;
      std::byte* to = out.data + (image * out.stride(0) + y * out.stride(1)) * size;
      for (Dim col = 0; col < x.dim(2); ++col, from += x.stride(2) * size)
        for (int twice = 0; twice < 2; ++twice, to += out.stride(2) * size)
          std::memcpy(to, from, pixel);
    });
  }
};

}  // namespace

const Kernel kUpsample{
    .id = "cpu.upsample",
    .op = Op::kUpsample,
    .needs = {.in = Access::kRows, .out = Access::kRows},
    .prepare = prepare<UpsampleRun>,
};

}  // namespace tintype::cpu
