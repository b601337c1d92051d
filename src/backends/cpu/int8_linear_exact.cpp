// Products of int8 codes on the CPU without VNNI: codes are widened to 16 bits, whose products
// pmaddwd adds in pairs as 32 bits, so that no sum saturates. Also the best that there is for a few
// rows, when reading the weight is what takes time.
#include <algorithm>

#include "backends/cpu/decode.h"
#include "backends/cpu/kernel_list.h"
#include "backends/cpu/store_sums.h"
#include "base/parallel.h"
#include "base/rounding.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/int8_linear_exact.cpp"
#include "backends/cpu/simd.h"

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {

using Shorts = hn::ScalableTag<int16_t>;
using Sums = hn::ScalableTag<int32_t>;
inline constexpr Dim kShorts = HWY_LANES(int16_t);

// Codes as 16-bit numbers: kShorts of them, or the n < kShorts last ones of a row.
HWY_INLINE hn::Vec<Shorts> widen(const int8_t* p) {
  return hn::PromoteTo(Shorts(), hn::LoadU(hn::Rebind<int8_t, Shorts>(), p));
}
HWY_INLINE hn::Vec<Shorts> widen_n(const int8_t* p, Dim n) {
  HWY_ALIGN int8_t lanes[kShorts] = {};
  std::memcpy(lanes, p, static_cast<size_t>(n));
  return widen(lanes);
}

// Rows of a matrix of codes.
struct CodeRows {
  const int8_t* codes;
  Dim stride;

  HWY_INLINE const int8_t* at(Dim row, Dim i) const { return codes + row * stride + i; }
};

// out[r, c] = x[r] . w[c] for kRows rows of x and kCols rows of w, of k codes each.
template <int kRows, int kCols>
HWY_INLINE void multiply_tile(CodeRows x, CodeRows w, Dim k, int32_t* out, Dim out_stride) {
  const Sums d;
  hn::Vec<Sums> sums[kRows][kCols], unused = hn::Zero(d);
  hn::Vec<Shorts> codes[kRows];
  for (auto& row : sums)
    for (auto& sum : row) sum = hn::Zero(d);

  const auto add_products = [&](int c, hn::Vec<Shorts> weights) HWY_ATTR {
    for (int r = 0; r < kRows; ++r)
      sums[r][c] = hn::ReorderWidenMulAccumulate(d, codes[r], weights, sums[r][c], unused);
  };
  Dim i = 0;
  for (; i + kShorts <= k; i += kShorts) {
    for (int r = 0; r < kRows; ++r) codes[r] = widen(x.at(r, i));
    for (int c = 0; c < kCols; ++c) add_products(c, widen(w.at(c, i)));
  }
  if (i < k) {
    for (int r = 0; r < kRows; ++r) codes[r] = widen_n(x.at(r, i), k - i);
    for (int c = 0; c < kCols; ++c) add_products(c, widen_n(w.at(c, i), k - i));
  }
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kCols; ++c)
      out[r * out_stride + c] = hn::GetLane(hn::SumOfLanes(d, sums[r][c]));
}

template <int kCols>
HWY_INLINE void multiply_columns(CodeRows x, Dim rows, CodeRows w, Dim k, int32_t* out,
                                 Dim out_stride) {
  constexpr int kRows = kShorts == 32 ? 4 : 2;  // as many sums as there are registers for
  Dim r = 0;
  for (; r + kRows <= rows; r += kRows)
    multiply_tile<kRows, kCols>({x.at(r, 0), x.stride}, w, k, out + r * out_stride, out_stride);
  for (; r < rows; ++r)
    multiply_tile<1, kCols>({x.at(r, 0), x.stride}, w, k, out + r * out_stride, out_stride);
}

// out[r, c] = x[r] . w[c].
void multiply_codes(const int8_t* x, Dim x_stride, Dim rows, const int8_t* w, Dim cols, Dim k,
                    int32_t* out, Dim out_stride) {
  Dim c = 0;
  for (; c + 4 <= cols; c += 4)
    multiply_columns<4>({x, x_stride}, rows, {w + c * k, k}, k, out + c, out_stride);
  for (; c < cols; ++c)
    multiply_columns<1>({x, x_stride}, rows, {w + c * k, k}, k, out + c, out_stride);
}

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tintype::cpu {
namespace {

constexpr Dim kMostRows = 2;       // of x, where this is as fast as VNNI
constexpr Dim kBlockRows = 256;    // of x, which stay in the cache
constexpr Dim kPanelColumns = 64;  // whose sums do, too

class Int8LinearExact final : public Prepared {
 public:
  Int8LinearExact(const NodeView& node, const DeviceFacts& facts)
      : weight_(stored_rows(node.node.weight[0])),
        rows_(node.in[0].shape.rows()),
        cols_(node.node.weight[0].rows),
        threads_(facts.threads),
        multiply_(TINTYPE_FOR_ISA(facts.isa, multiply_codes)),
        store_(store_int8_sums(node.out_dtype(), facts.isa)) {}

  size_t scratch_bytes() const override { return static_cast<size_t>(threads_) * kSumsBytes; }

  void run(const Buffers& b) const noexcept override {
    parallel_for(divide_up(cols_, kPanelColumns), [&](Dim panel) {
      if (b.cancelled()) return;
      for (Dim row = 0; row < rows_; row += kBlockRows) run_block(b, panel * kPanelColumns, row);
    });
  }

 private:
  static constexpr size_t kSumsBytes = kBlockRows * kPanelColumns * sizeof(int32_t);

  void run_block(const Buffers& b, Dim column, Dim row) const noexcept {
    const View &x = b.in[0], &scales = b.in[1], &y = b.out[0];
    const Dim rows = std::min(kBlockRows, rows_ - row);
    const Dim cols = std::min(kPanelColumns, cols_ - column);
    const Dim x_stride = x.layout.row_stride(), y_stride = y.layout.row_stride();
    auto* sums =
        reinterpret_cast<int32_t*>(b.scratch + static_cast<size_t>(thread_index()) * kSumsBytes);

    multiply_(x.as<const int8_t>() + row * x_stride, x_stride, rows,
              reinterpret_cast<const int8_t*>(weight_.row(column)), cols, weight_.cols, sums,
              kPanelColumns);
    store_({.rows = rows,
            .cols = cols,
            .sums = sums,
            .sums_stride = kPanelColumns,
            .bias = b.in.size() > 2 ? b.in[2].as<const float>() + column : nullptr,
            .row_scales = scales.as<const float>() + row * scales.layout.row_stride(),
            .row_scales_stride = scales.layout.row_stride(),
            .column_scales = weight_.scales + (weight_.scale_per_row ? column : 0),
            .scale_per_column = weight_.scale_per_row,
            .out = y.data + (row * y_stride + column) * static_cast<Dim>(size_of(y.dtype)),
            .out_stride = y_stride});
  }

  StoredRows weight_;
  Dim rows_, cols_;
  int threads_;
  void (*multiply_)(const int8_t*, Dim, Dim, const int8_t*, Dim, Dim, int32_t*, Dim);
  StoreSums store_;
};

}  // namespace

const Kernel kInt8LinearRows{
    .id = "cpu.int8_linear.rows",
    .op = Op::kInt8Linear,
    .needs = {.formats = {"int8"},
              .in = Access::kMatrix,
              .out = Access::kMatrix,
              .isa = Isa::kAvx2,
              .max_rows = kMostRows},
    .prepare = prepare<Int8LinearExact>,
};

const Kernel kInt8LinearExact{
    .id = "cpu.int8_linear.exact",
    .op = Op::kInt8Linear,
    .needs = {.formats = {"int8"},
              .in = Access::kMatrix,
              .out = Access::kMatrix,
              .isa = Isa::kAvx2},
    .prepare = prepare<Int8LinearExact>,
};

}  // namespace tintype::cpu
#endif
