// Float products of a few rows: the weight is read once, and reading it is what takes time. Sums
// are f32 whatever the type of x, and each row's are the same however many rows there are.
#include <algorithm>
#include <vector>

#include "backends/cpu/decode.h"
#include "backends/cpu/kernel_list.h"
#include "base/parallel.h"
#include "base/rounding.h"
#include "formats/formats.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/linear_rows.cpp"
#include "backends/cpu/simd.h"
// After simd.h: it has a part for each instruction set.
#include "backends/cpu/stored_values.h"

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {

inline constexpr int kColumns = 4;  // of the output, computed together

// sums[r, c] = x[r] . w[c] for kRows rows of x [kRows, k] and kCols rows of w [kCols, k]; rows of
// `sums` are kColumns apart. Several rows of w at once keep memory and multipliers busy.
template <class Stored, int kRows, int kCols>
HWY_INLINE void dot_tile(const Stored* w, const float* x, Dim k, float* sums) {
  const Floats d;
  FloatVec tile[kRows][kCols], rows[kRows];
  for (auto& row : tile)
    for (FloatVec& sum : row) sum = hn::Zero(d);

  Dim i = 0;
  for (; i + kLanes <= k; i += kLanes) {
    for (int r = 0; r < kRows; ++r) rows[r] = load(x + r * k + i);
    for (int c = 0; c < kCols; ++c) {
      const FloatVec weights = load(w + c * k + i);
      for (int r = 0; r < kRows; ++r) tile[r][c] = hn::MulAdd(weights, rows[r], tile[r][c]);
    }
  }
  if (i < k) {
    for (int r = 0; r < kRows; ++r) rows[r] = load_n(x + r * k + i, k - i);
    for (int c = 0; c < kCols; ++c) {
      const FloatVec weights = load_n(w + c * k + i, k - i);
      for (int r = 0; r < kRows; ++r) tile[r][c] = hn::MulAdd(weights, rows[r], tile[r][c]);
    }
  }
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kCols; ++c)
      sums[r * kColumns + c] = hn::GetLane(hn::SumOfLanes(d, tile[r][c]));
}

template <class Stored, int kCols>
HWY_INLINE void dot_rows(const Stored* w, const float* x, Dim rows, Dim k, float* sums) {
  constexpr Dim kRows = kLanes == 16 ? 4 : 2;  // as many sums as there are registers for
  for (; rows >= kRows; rows -= kRows, x += kRows * k, sums += kRows * kColumns)
    dot_tile<Stored, kRows, kCols>(w, x, k, sums);
  for (; rows > 0; --rows, x += k, sums += kColumns) dot_tile<Stored, 1, kCols>(w, x, k, sums);
}

// A sum is the same whatever is computed beside it.
template <class Stored>
void dot(const std::byte* stored, Dim cols, const float* x, Dim rows, Dim k, float* sums) {
  const auto* w = reinterpret_cast<const Stored*>(stored);
  if (cols == kColumns) return dot_rows<Stored, kColumns>(w, x, rows, k, sums);
  for (Dim c = 0; c < cols; ++c) dot_rows<Stored, 1>(w + c * k, x, rows, k, sums + c);
}

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tintype::cpu {
namespace {

constexpr Dim kMostRows = 4;  // more are multiplied faster in panels
constexpr Dim kColumns = N_AVX2::kColumns;

// sums[r, c] = x[r] . w[c] for x [rows, k] and up to kColumns rows w.
using Dot = void (*)(const std::byte* w, Dim cols, const float* x, Dim rows, Dim k, float* sums);

Dot dot_floats(Isa isa) { return TINTYPE_FOR_ISA(isa, dot<float>); }

// For rows as they are stored, without their scale; null where they have to be decoded first.
Dot dot_stored(const Parameter& p, Isa isa) {
  if (p.rotation != 0) return nullptr;
  if (p.format == &kF32) return dot_floats(isa);
  if (p.format == &kBF16) return TINTYPE_FOR_ISA(isa, dot<BF16>);
  const bool wide = isa == Isa::kAvx512;
  if (p.format == &kF16) return wide ? N_AVX3::dot<N_AVX3::Half> : N_AVX2::dot<N_AVX2::Half>;
  if (p.format == &kInt8) return wide ? N_AVX3::dot<N_AVX3::Int8> : N_AVX2::dot<N_AVX2::Int8>;
  if (p.format == &kFp8E4M3) return wide ? N_AVX3::dot<N_AVX3::E4M3> : N_AVX2::dot<N_AVX2::E4M3>;
  if (p.format == &kFp8E5M2) return wide ? N_AVX3::dot<N_AVX3::E5M2> : N_AVX2::dot<N_AVX2::E5M2>;
  return nullptr;
}

struct SliceRows {
  SliceRows(const RowSlice& slice, Isa isa)
      : count(slice.rows), decoder(slice, isa), stored(dot_stored(*slice.parameter, isa)) {}

  Dim count;
  RowDecoder decoder;
  Dot stored;
};

class LinearRows final : public Prepared {
 public:
  LinearRows(const NodeView& node, const DeviceFacts& facts)
      : rows_(node.in[0].shape.rows()),
        k_(node.in[0].shape.cols()),
        threads_(facts.threads),
        dot_(dot_floats(facts.isa)) {
    for (const RowSlice& slice : node.node.weight) slices_.emplace_back(slice, facts.isa);
  }

  // x as f32, and some decoded rows for each thread.
  size_t scratch_bytes() const override {
    return static_cast<size_t>((rows_ + kColumns * threads_) * k_) * sizeof(float);
  }

  void run(const Buffers& b) const noexcept override {
    dispatch_float(b.in[0].dtype, [&]<class T>(T) { this->run<T>(b); });
  }

 private:
  template <class T>
  void run(const Buffers& b) const noexcept {
    auto* x = reinterpret_cast<float*>(b.scratch);
    const Dim x_stride = b.in[0].layout.row_stride(), y_stride = b.out[0].layout.row_stride();
    for (Dim r = 0; r < rows_; ++r) {
      const T* row = b.in[0].as<const T>() + r * x_stride;
      for (Dim i = 0; i < k_; ++i) x[r * k_ + i] = static_cast<float>(row[i]);
    }
    const float* bias = b.in.size() > 1 ? b.in[1].as<const float>() : nullptr;
    T* y = b.out[0].as<T>();
    for (const SliceRows& slice : slices_) {
      parallel_for(divide_up(slice.count, kColumns), [&](Dim group) {
        const Dim first = group * kColumns, cols = std::min(kColumns, slice.count - first);
        float sums[kMostRows * kColumns];
        multiply(slice, first, cols, x, sums);
        for (Dim r = 0; r < rows_; ++r)
          for (Dim c = 0; c < cols; ++c)
            y[r * y_stride + first + c] =
                T(sums[r * kColumns + c] + (bias == nullptr ? 0.0f : bias[first + c]));
      });
      y += slice.count;
      if (bias != nullptr) bias += slice.count;
    }
  }

  // Columns [first, first + cols) of x [rows_, k_] times the slice, without bias.
  void multiply(const SliceRows& slice, Dim first, Dim cols, float* x, float* sums) const noexcept {
    const StoredRows& rows = slice.decoder.rows();
    if (slice.stored != nullptr) {
      slice.stored(rows.row(first), cols, x, rows_, k_, sums);
      for (Dim r = 0; r < rows_; ++r)
        for (Dim c = 0; c < cols; ++c) sums[r * kColumns + c] *= rows.scale(first + c);
      return;
    }
    float* decoded = x + (rows_ + thread_index() * kColumns) * k_;
    for (Dim c = 0; c < cols; ++c)
      slice.decoder.decode(first + c, decoded + c * k_, decoded + c * k_);
    dot_(reinterpret_cast<const std::byte*>(decoded), cols, x, rows_, k_, sums);
  }

  Dim rows_, k_;
  int threads_;
  Dot dot_;
  std::vector<SliceRows> slices_;
};

}  // namespace

const Kernel kLinearRows{
    .id = "cpu.linear.rows",
    .op = Op::kLinear,
    .needs = {.dtypes = {DType::kF32, DType::kBF16},
              .in = Access::kMatrix,
              .out = Access::kMatrix,
              .isa = Isa::kAvx2,
              .max_rows = kMostRows},
    .prepare = prepare<LinearRows>,
};

}  // namespace tintype::cpu
#endif
