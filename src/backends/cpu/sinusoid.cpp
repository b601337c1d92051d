#include <cmath>

#include "backends/cpu/kernel_list.h"

namespace tintype::cpu {
namespace {

// In double: f32 angles around 7000 have lost all but three digits of the sine.
struct SinusoidRun final : Prepared {
  SinusoidRun(const NodeView& node, const DeviceFacts&) {
    const auto& attrs = node.node.attr<SinusoidAttrs>();
    const Dim half = attrs.dim / 2;
    for (Dim i = 0; i < half; ++i) {
      const double step = -static_cast<double>(i) / static_cast<double>(half);
      frequencies.push_back(attrs.factor * std::pow(attrs.max_period, step));
    }
  }

  void run(const Buffers& b) const noexcept override {
    const View &t = b.in[0], &out = b.out[0];
    const size_t half = frequencies.size();
    dispatch_float(out.dtype, [&]<class T>(T) {
      for (Dim i = 0; i < t.dim(0); ++i) {
        const double time = t.as<float>()[i * t.stride(0)];
        T* row = out.as<T>() + i * out.stride(0);
        for (size_t j = 0; j < half; ++j) {
          row[j] = T(static_cast<float>(std::cos(time * frequencies[j])));
          row[half + j] = T(static_cast<float>(std::sin(time * frequencies[j])));
        }
      }
    });
  }

  std::vector<double> frequencies;
};

}  // namespace

const Kernel kSinusoid{
    .id = "cpu.sinusoid",
    .op = Op::kSinusoid,
    .needs = {.in = Access::kRows, .out = Access::kRows},
    .prepare = prepare<SinusoidRun>,
};

}  // namespace tintype::cpu
