#include "backends/cpu/panel_product.h"

#include <algorithm>
#include <utility>

#include "base/rounding.h"

namespace tintype::cpu {
namespace {

constexpr Dim kWidthMultiple = 16;  // a register of sums

size_t lines(Dim elements, size_t bytes) {
  return round_up(static_cast<size_t>(elements) * bytes, kScratchAlignment);
}

struct Tuning {
  Dim most_columns;    // of a panel
  Dim most_rows;       // of x that meet a panel at once: their sums stay in the cache
  bool packs = false;  // panels are packed before they meet the blocks of rows
  bool gap = false;    // after each row of sums: makes oneDNN choose its gemm, not its brgemm
};

// What is fastest, or close to it, by oneDNN 2.6 (measured with M of 1280 and 4352, K of 3072 to
// 15360). The gemm wants wide panels; it is all there is below AVX-512. With AMX it multiplies bf16
// at 830 GFLOP/s a core, while brgemm falls from 690 to 350 as K grows to 12288; and brgemm
// multiplies packed codes faster by a tenth, but not long rows of them, nor few rows of x.
Tuning tuning(Dim m, Dim k, DType type, const DeviceFacts& facts) {
  if (facts.isa < Isa::kAvx512) return {.most_columns = 512, .most_rows = 1280};
  if (facts.amx && type == DType::kBF16)
    return {.most_columns = 512, .most_rows = 1280, .gap = true};
  if (facts.amx && type == DType::kI8 && m >= 512 && k <= 8192)
    return {.most_columns = 256, .most_rows = 640, .packs = true};
  return {.most_columns = type == DType::kI8 ? 128 : 256, .most_rows = 1280};
}

// As many panels as eight threads can share evenly, or two where N is small. How many threads there
// are must not matter: oneDNN's AVX2 gemm sums a column in an order that depends on the width.
Dim panel_width(Dim n, Dim most) {
  const Dim share = n >= 2048 ? 8 : 2;
  const Dim panels = round_up(divide_up(n, most), share);
  return std::min(n, round_up(divide_up(n, panels), kWidthMultiple));
}

}  // namespace

PanelProduct::Cut PanelProduct::cut(Dim m, Dim n, Dim k, DType type, const DeviceFacts& facts) {
  const Tuning t = tuning(m, k, type, facts);
  const Dim width = panel_width(n, t.most_columns);
  const Dim block_rows = divide_up(m, divide_up(m, t.most_rows));
  return {.panels = divide_up(n, width),
          .width = width,
          .blocks = divide_up(m, block_rows),
          .block_rows = block_rows,
          .sums_stride = width + (t.gap ? kWidthMultiple : 0),
          .packs = t.packs};
}

PanelProduct::Bytes PanelProduct::bytes(Dim k, DType type, bool decoded) const {
  Bytes b{.weights = decoded ? lines(cut_.width * k, size_of(type)) : 0,
          .spare = decoded ? lines(k, sizeof(float)) : 0,
          .packed = cut_.packs ? round_up(product_.packed_bytes(), kScratchAlignment) : 0,
          .sums = lines(cut_.block_rows * cut_.sums_stride, sizeof(float)),
          .product = round_up(product_.scratch_bytes(), kScratchAlignment),
          .all = 0};
  b.all = b.weights + b.spare + b.packed + b.sums + b.product;
  return b;
}

PanelProduct::PanelProduct(Dim m, Dim n, Dim k, Dim x_stride, DType type, bool decoded,
                           const DeviceFacts& facts)
    : m_(m),
      n_(n),
      x_row_bytes_(static_cast<size_t>(x_stride) * size_of(type)),
      threads_(facts.threads),
      cut_(cut(m, n, k, type, facts)),
      product_({.m = cut_.block_rows,
                .n = cut_.width,
                .k = k,
                .type = type,
                .out = type == DType::kI8 ? DType::kI32 : DType::kF32,
                .b = cut_.packs ? Factor::kPacked : Factor::kRows,
                .a_stride = m == 1 ? k : x_stride,  // a single row may claim any
                .out_stride = cut_.sums_stride,
                .one_thread = true}),
      bytes_(bytes(k, type, decoded)) {}

Panel PanelProduct::panel(Dim i, std::byte* scratch) const {
  std::byte* at = scratch + static_cast<size_t>(thread_index()) * bytes_.all;
  const auto take = [&](size_t size) { return std::exchange(at, at + size); };
  const Dim first = std::min(i * cut_.width, n_ - cut_.width);
  return {.first = first,
          .width = cut_.width,
          .skip = i * cut_.width - first,
          .weights = take(bytes_.weights),
          .spare = reinterpret_cast<float*>(take(bytes_.spare)),
          .packed = take(bytes_.packed),
          .sums = take(bytes_.sums),
          .product = take(bytes_.product)};
}

const void* PanelProduct::pack(const void* rows, const Panel& panel) const noexcept {
  if (!cut_.packs) return rows;
  product_.pack(rows, panel.packed, panel.product);
  return panel.packed;
}

Dim PanelProduct::multiply(const std::byte* x, Dim block, const void* rows,
                           const Panel& panel) const noexcept {
  const Dim row = std::min(block * cut_.block_rows, m_ - cut_.block_rows);
  product_.run(x + static_cast<size_t>(row) * x_row_bytes_, rows, panel.sums, panel.product);
  return row;
}

}  // namespace tintype::cpu
