// Products of int8 codes on the CPU by VNNI or AMX: exact sums, then scales and bias.
//
// oneDNN's int8 products saturate on processors without either: they have int8_linear_exact.cpp.
#include "backends/cpu/decode.h"
#include "backends/cpu/kernel_list.h"
#include "backends/cpu/panel_product.h"
#include "backends/cpu/store_sums.h"

namespace tintype::cpu {
namespace {

class Int8Linear final : public Prepared {
 public:
  Int8Linear(const NodeView& node, const DeviceFacts& facts)
      : weight_(stored_rows(node.node.weight[0])),
        store_(store_int8_sums(node.out_dtype(), facts.isa)),
        product_(node.in[0].shape.rows(), node.node.weight[0].rows, weight_.cols,
                 node.in[0].row_stride(), DType::kI8, /*decoded=*/false, facts) {}

  size_t scratch_bytes() const override { return product_.scratch_bytes(); }

  void run(const Buffers& b) const noexcept override {
    const View &scales = b.in[1], &y = b.out[0];
    const float* bias = b.in.size() > 2 ? b.in[2].as<const float>() : nullptr;

    const auto weights = [&](const Panel& panel) { return weight_.row(panel.first); };
    const auto store = [&](const Panel& panel, Dim row) {
      const Dim column = panel.first + panel.skip;
      const Dim at = row * y.layout.row_stride() + column;
      store_({.rows = product_.block_rows(),
              .cols = panel.width - panel.skip,
              .sums = reinterpret_cast<const int32_t*>(panel.sums) + panel.skip,
              .sums_stride = product_.sums_stride(),
              .bias = bias == nullptr ? nullptr : bias + column,
              .row_scales = scales.as<const float>() + row * scales.layout.row_stride(),
              .row_scales_stride = scales.layout.row_stride(),
              .column_scales = weight_.scales + (weight_.scale_per_row ? column : 0),
              .scale_per_column = weight_.scale_per_row,
              .out = y.data + at * static_cast<Dim>(size_of(y.dtype)),
              .out_stride = y.layout.row_stride()});
    };
    product_.run(b, b.in[0].data, b.scratch, weights, store);
  }

 private:
  StoredRows weight_;
  StoreSums store_;
  PanelProduct product_;
};

}  // namespace

const Kernel kInt8Linear{
    .id = "cpu.int8_linear.panel",
    .op = Op::kInt8Linear,
    .needs = {.formats = {"int8"},
              .in = Access::kMatrix,
              .out = Access::kMatrix,
              .isa = Isa::kAvx2,
              .int8_dot = true},
    .prepare = prepare<Int8Linear>,
};

}  // namespace tintype::cpu
