#include "backends/reference/element.h"
#include "backends/reference/kernels.h"
#include "formats/formats.h"

namespace tintype::reference {
namespace {

struct Int8LinearRun final : Prepared {
  Int8LinearRun(const NodeView& node, const DeviceFacts&) : slice(node.node.weight[0]) {}

  void run(const Buffers& b) const noexcept override {
    const View &x = b.in[0], &scales = b.in[1], &out = b.out[0];
    const Int8View weight = int8_view(*slice.parameter);
    const Dim cols = slice.parameter->cols();
    for_each_row(x.shape(), [&](const Index& row) {
      const Dim from = offset_of(x, x.shape(), row), to = offset_of(out, x.shape(), row);
      const double row_scale = load(scales, offset_of(scales, x.shape(), row));
      for (Dim n = 0; n < slice.rows; ++n) {
        const Dim weight_row = slice.first + n;
        const int8_t* const codes = weight.codes + weight_row * cols;
        int64_t sum = 0;
        for (Dim k = 0; k < cols; ++k)
          sum += codes[k] * int64_t{x.as<int8_t>()[from + k * x.stride(-1)]};
        const double bias = b.in.size() > 2 ? load(b.in[2], n * b.in[2].stride(0)) : 0;
        const double scale = weight.scales[weight.per_row ? weight_row : 0] * row_scale;
        store(out, to + n * out.stride(-1), static_cast<double>(sum) * scale + bias);
      }
    });
  }

  RowSlice slice;
};

}  // namespace

const Kernel kInt8Linear{
    .id = "reference.int8_linear",
    .op = Op::kInt8Linear,
    .needs = {.formats = {"int8"}, .in = Access::kAny, .out = Access::kAny},
    .prepare = prepare<Int8LinearRun>,
};

}  // namespace tintype::reference
