// Float products on the CPU: y = x W^T + b, for any number of rows of x.
//
// Where the product has another type than x, x is widened. A weight that is stored in the type of
// the product is read where it lies; any other is decoded panel by panel.
#include "backends/cpu/linear.h"

#include <algorithm>
#include <vector>

#include "backends/cpu/convert.h"
#include "backends/cpu/decode.h"
#include "backends/cpu/kernel_list.h"
#include "backends/cpu/panel_product.h"
#include "backends/cpu/store_sums.h"
#include "base/rounding.h"
#include "formats/formats.h"

namespace tintype::cpu {
namespace {

bool is_stored_as(const RowSlice& weight, DType type) {
  return weight.parameter->format == (type == DType::kBF16 ? &kBF16 : &kF32);
}

// The part of a linear that one row slice of its weight makes: some columns of the output.
struct SliceProduct {
  SliceProduct(const NodeView& node, const RowSlice& slice, Dim column, const DeviceFacts& facts)
      : type(product_type(node.in_dtype(0), slice, facts)),
        in_place(is_stored_as(slice, type)),
        decoder(slice, facts.isa),
        first_column(column),
        // Widened rows have no gaps.
        product(node.in[0].shape.rows(), slice.rows, node.in[0].shape.cols(),
                type == node.in_dtype(0) ? node.in[0].row_stride() : node.in[0].shape.cols(), type,
                /*decoded=*/!in_place, facts) {}

  // The rows of a panel in the type of the product.
  const void* weights(const Panel& panel) const {
    if (in_place) return decoder.rows().row(panel.first);
    return type == DType::kBF16 ? decode<BF16>(panel) : decode<float>(panel);
  }

  DType type;
  bool in_place;
  RowDecoder decoder;
  Dim first_column;
  PanelProduct product;

 private:
  template <class T>
  const void* decode(const Panel& panel) const {
    T* rows = reinterpret_cast<T*>(panel.weights);
    const Dim cols = decoder.rows().cols;
    for (Dim r = 0; r < panel.width; ++r)
      decoder.decode(panel.first + r, rows + r * cols, panel.spare);
    return rows;
  }
};

class Linear final : public Prepared {
 public:
  Linear(const NodeView& node, const DeviceFacts& facts)
      : to_f32_(convert_row(node.in_dtype(0), DType::kF32, facts)),
        store_(store_f32_sums(node.out_dtype(), facts.isa)) {
    Dim column = 0;
    for (const RowSlice& slice : node.node.weight) {
      slices_.emplace_back(node, slice, column, facts);
      column += slice.rows;
      scratch_ = std::max(scratch_, slices_.back().product.scratch_bytes());
      widens_ |= slices_.back().type != node.in_dtype(0);
    }
    const auto elements = static_cast<size_t>(node.in[0].shape.elements());
    widened_bytes_ = widens_ ? round_up(elements * sizeof(float), kScratchAlignment) : 0;
  }

  size_t scratch_bytes() const override { return widened_bytes_ + scratch_; }

  void run(const Buffers& b) const noexcept override {
    if (widens_) widen(b);
    for (const SliceProduct& slice : slices_) run(slice, b);
  }

 private:
  void run(const SliceProduct& slice, const Buffers& b) const noexcept;

  // x [M, K] as f32 without gaps.
  void widen(const Buffers& b) const noexcept {
    const View& x = b.in[0];
    const auto cols = static_cast<size_t>(x.shape().cols());
    const auto row_bytes = static_cast<size_t>(x.layout.row_stride()) * size_of(x.dtype);
    parallel_for(x.shape().rows(), [&](Dim r) {
      const auto row = static_cast<size_t>(r);
      to_f32_(x.data + row * row_bytes, b.scratch + row * cols * sizeof(float), x.shape().cols());
    });
  }

  ConvertRow to_f32_;
  StoreSums store_;
  std::vector<SliceProduct> slices_;
  bool widens_ = false;
  size_t widened_bytes_ = 0, scratch_ = 0;
};

void Linear::run(const SliceProduct& slice, const Buffers& b) const noexcept {
  const View& y = b.out[0];
  const std::byte* x = slice.type == b.in[0].dtype ? b.in[0].data : b.scratch;
  const float* bias = b.in.size() > 1 ? b.in[1].as<const float>() : nullptr;
  const PanelProduct& product = slice.product;

  const auto store = [&](const Panel& panel, Dim row) {
    const Dim column = slice.first_column + panel.first + panel.skip;
    const Dim at = row * y.layout.row_stride() + column;
    store_({.rows = product.block_rows(),
            .cols = panel.width - panel.skip,
            .sums = reinterpret_cast<const float*>(panel.sums) + panel.skip,
            .sums_stride = product.sums_stride(),
            .bias = bias == nullptr ? nullptr : bias + column,
            .out = y.data + at * static_cast<Dim>(size_of(y.dtype)),
            .out_stride = y.layout.row_stride()});
  };
  product.run(
      b, x, b.scratch + widened_bytes_, [&](const Panel& panel) { return slice.weights(panel); },
      store);
}

}  // namespace

DType product_type(DType x, const RowSlice& weight, const DeviceFacts& facts) {
  const bool bf16 = x == DType::kBF16 && multiplies_bf16(facts);
  return bf16 && weight.parameter->format != &kF16 ? DType::kBF16 : DType::kF32;
}

std::unique_ptr<Prepared> prepare_linear(const NodeView& node, const DeviceFacts& facts) {
  return std::make_unique<Linear>(node, facts);
}

// The first two are the third with nothing to decode, told apart for people who read plans.
const Kernel kLinearF32{
    .id = "cpu.linear.f32",
    .op = Op::kLinear,
    .needs = {.dtypes = {DType::kF32},
              .formats = {"f32"},
              .in = Access::kMatrix,
              .out = Access::kMatrix,
              .isa = Isa::kAvx2},
    .prepare = prepare_linear,
};

const Kernel kLinearBF16{
    .id = "cpu.linear.bf16",
    .op = Op::kLinear,
    .needs = {.dtypes = {DType::kBF16},
              .formats = {"bf16"},
              .in = Access::kMatrix,
              .out = Access::kMatrix,
              .isa = Isa::kAvx2,
              .bf16_if_bf16 = true},
    .prepare = prepare_linear,
};

const Kernel kLinearPanel{
    .id = "cpu.linear.panel",
    .op = Op::kLinear,
    .needs = {.dtypes = {DType::kF32, DType::kBF16},
              .in = Access::kMatrix,
              .out = Access::kMatrix,
              .isa = Isa::kAvx2},
    .prepare = prepare_linear,
};

}  // namespace tintype::cpu
