#include "backends/cpu/panel_product.h"

#include <algorithm>

namespace tintype::cpu {
namespace {

// Rows of x that meet a panel at once: their sums stay in the cache until they are stored.
constexpr Dim kMostRows = 1280;
constexpr Dim kWidthMultiple = 16;  // a register of sums

Dim divide_up(Dim a, Dim b) { return (a + b - 1) / b; }
size_t aligned(Dim bytes) { return static_cast<size_t>(divide_up(bytes, 64) * 64); }

// With AMX, oneDNN 2.6's gemm multiplies bf16 faster than its brgemm, above all long rows (K =
// 12288: 830 against 350 GFLOP/s a core), and a gap after each row of sums makes it choose that.
bool wants_gemm(DType type, const DeviceFacts& facts) { return type == DType::kBF16 && facts.amx; }

// Weight rows at once, where each of these is fastest or close to it.
Dim most_columns(DType type, const DeviceFacts& facts) {
  if (wants_gemm(type, facts)) return 512;
  return type == DType::kI8 ? 128 : 256;
}

// Every thread gets as many panels as any other, where N allows it.
Dim panel_width(Dim n, Dim most, int threads) {
  const Dim panels = divide_up(divide_up(n, most), threads) * threads;
  return std::min(n, divide_up(divide_up(n, panels), kWidthMultiple) * kWidthMultiple);
}

}  // namespace

PanelProduct::PanelProduct(Dim m, Dim n, Dim k, Dim x_stride, DType type, bool decoded,
                           const DeviceFacts& facts)
    : m_(m),
      n_(n),
      k_(k),
      x_row_bytes_(static_cast<size_t>(x_stride) * size_of(type)),
      threads_(facts.threads),
      width_(panel_width(n, most_columns(type, facts), facts.threads)),
      panels_(divide_up(n, width_)),
      block_rows_(divide_up(m, divide_up(m, kMostRows))),
      blocks_(divide_up(m, block_rows_)),
      sums_stride_(width_ + (wants_gemm(type, facts) ? kWidthMultiple : 0)),
      weights_bytes_(decoded ? aligned(width_ * k * static_cast<Dim>(size_of(type))) : 0),
      spare_bytes_(decoded ? aligned(k * static_cast<Dim>(sizeof(float))) : 0),
      sums_bytes_(aligned(block_rows_ * sums_stride_ * static_cast<Dim>(sizeof(float)))),
      panel_bytes_(0),
      product_({.m = block_rows_,
                .n = width_,
                .k = k,
                .type = type,
                .out = type == DType::kI8 ? DType::kI32 : DType::kF32,
                .a_stride = block_rows_ == 1 ? k : x_stride,  // one row may claim any
                .out_stride = sums_stride_,
                .one_thread = true}) {
  panel_bytes_ = weights_bytes_ + spare_bytes_ + sums_bytes_ +
                 aligned(static_cast<Dim>(product_.scratch_bytes()));
}

Panel PanelProduct::panel(Dim i, std::byte* scratch) const {
  std::byte* p = scratch + static_cast<size_t>(thread_index()) * panel_bytes_;
  const Dim first = std::min(i * width_, n_ - width_);
  return {.first = first,
          .width = width_,
          .skip = i * width_ - first,
          .weights = p,
          .spare = reinterpret_cast<float*>(p + weights_bytes_),
          .sums = p + weights_bytes_ + spare_bytes_,
          .product = p + weights_bytes_ + spare_bytes_ + sums_bytes_};
}

Dim PanelProduct::multiply(const std::byte* x, Dim block, const void* rows,
                           const Panel& panel) const noexcept {
  const Dim row = std::min(block * block_rows_, m_ - block_rows_);
  product_.run(x + static_cast<size_t>(row) * x_row_bytes_, rows, panel.sums, panel.product);
  return row;
}

}  // namespace tintype::cpu
