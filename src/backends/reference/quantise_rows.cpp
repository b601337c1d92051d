#include <algorithm>
#include <cmath>

#include "backends/reference/element.h"
#include "backends/reference/kernels.h"
#include "formats/hadamard.h"

namespace tintype::reference {
namespace {

// Codes are part of a checkpoint's meaning, so this is in f32 like everybody's.
struct QuantiseRowsRun final : Prepared {
  QuantiseRowsRun(const NodeView& node, const DeviceFacts&)
      : rotation(node.node.attr<QuantiseRowsAttrs>().rotation),
        cols(node.node.inputs[0].shape().cols()) {}

  size_t scratch_bytes() const override { return static_cast<size_t>(cols) * sizeof(float); }

  void run(const Buffers& b) const noexcept override {
    const View &x = b.in[0], &codes = b.out[0], &scales = b.out[1];
    auto* const values = reinterpret_cast<float*>(b.scratch);
    for_each_row(x.shape(), [&](const Index& row) {
      const Dim from = offset_of(x, x.shape(), row), to = offset_of(codes, x.shape(), row);
      for (Dim i = 0; i < cols; ++i)
        values[i] = static_cast<float>(load(x, from + i * x.stride(-1)));
      if (rotation != 0) rotate_row(values, cols, rotation);
      const float scale = scale_of(values);
      for (Dim i = 0; i < cols; ++i)
        store(codes, to + i * codes.stride(-1), code_of(values[i], scale));
      store(scales, offset_of(scales, x.shape(), row), scale);
    });
  }

  // NaN if a value is NaN, so that it is not lost.
  float scale_of(const float* values) const {
    float largest = 0;
    for (Dim i = 0; i < cols; ++i) {
      if (std::isnan(values[i])) return values[i];
      largest = std::max(largest, std::fabs(values[i]));
    }
    return std::max(largest / 127.0f, 1e-30f);
  }

  static float code_of(float value, float scale) {
    const float code = std::nearbyint(value / scale);
    return std::isnan(code) ? 0.0f : std::clamp(code, -127.0f, 127.0f);
  }

  Dim rotation, cols;
};

}  // namespace

const Kernel kQuantiseRows{
    .id = "reference.quantise_rows",
    .op = Op::kQuantiseRows,
    .needs = {.in = Access::kAny, .out = Access::kAny},
    .prepare = prepare<QuantiseRowsRun>,
};

}  // namespace tintype::reference
