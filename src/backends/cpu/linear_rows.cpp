// Float products of a few rows: the weight is read once, and reading it is what takes time. Sums
// are f32 whatever the type of x, and each row's are the same however many rows there are.
#include "backends/cpu/decode.h"
#include "backends/cpu/kernel_list.h"
#include "base/parallel.h"
#include "formats/formats.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/linear_rows.cpp"
#include "backends/cpu/simd.h"
// After simd.h: it has a part for each instruction set.
#include "backends/cpu/stored_values.h"

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {

// sums[r] = w . x[r] for kRows rows of x [kRows, k]. Two accumulators a row keep both multipliers
// busy.
template <class Stored, int kRows>
HWY_INLINE void dot_rows(const Stored* w, const float* x, Dim k, float* sums) {
  const Floats d;
  FloatVec even[kRows], odd[kRows];
  for (int r = 0; r < kRows; ++r) even[r] = odd[r] = hn::Zero(d);
  Dim i = 0;
  for (; i + 2 * kLanes <= k; i += 2 * kLanes) {
    const FloatVec w0 = load(w + i), w1 = load(w + i + kLanes);
    for (int r = 0; r < kRows; ++r) {
      const float* row = x + r * k + i;
      even[r] = hn::MulAdd(w0, load(row), even[r]);
      odd[r] = hn::MulAdd(w1, load(row + kLanes), odd[r]);
    }
  }
  for (; i < k; i += kLanes) {
    const Dim n = k - i < kLanes ? k - i : kLanes;
    const FloatVec rest = load_n(w + i, n);
    for (int r = 0; r < kRows; ++r) even[r] = hn::MulAdd(rest, load_n(x + r * k + i, n), even[r]);
  }
  for (int r = 0; r < kRows; ++r)
    sums[r] = hn::GetLane(hn::SumOfLanes(d, hn::Add(even[r], odd[r])));
}

template <class Stored>
void dot(const std::byte* stored, const float* x, Dim rows, Dim k, float* sums) {
  const auto* w = reinterpret_cast<const Stored*>(stored);
  for (; rows >= 4; rows -= 4, x += 4 * k, sums += 4) dot_rows<Stored, 4>(w, x, k, sums);
  if (rows == 3) dot_rows<Stored, 3>(w, x, k, sums);
  if (rows == 2) dot_rows<Stored, 2>(w, x, k, sums);
  if (rows == 1) dot_rows<Stored, 1>(w, x, k, sums);
}

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tintype::cpu {
namespace {

constexpr Dim kMostRows = 8;

// sums[r] = w . x[r], for rows of x [rows, k].
using Dot = void (*)(const std::byte* w, const float* x, Dim rows, Dim k, float* sums);

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

  // x as f32, and a decoded row for each thread.
  size_t scratch_bytes() const override {
    return static_cast<size_t>((rows_ + threads_) * k_) * sizeof(float);
  }

  void run(const Buffers& b) const noexcept override {
    dispatch_float(b.in[0].dtype, [&]<class T>(T) { this->run<T>(b); });
  }

 private:
  template <class T>
  void run(const Buffers& b) const noexcept {
    auto* x = reinterpret_cast<float*>(b.scratch);
    for (Dim r = 0; r < rows_; ++r)
      for (Dim i = 0; i < k_; ++i)
        x[r * k_ + i] =
            static_cast<float>(b.in[0].as<const T>()[r * b.in[0].layout.row_stride() + i]);

    Dim column = 0;
    for (const SliceRows& slice : slices_) {
      parallel_for(slice.count, [&](Dim n) {
        float sums[kMostRows];
        multiply(slice, n, x, sums);
        const float bias = b.in.size() > 1 ? b.in[1].as<const float>()[column + n] : 0.0f;
        for (Dim r = 0; r < rows_; ++r)
          b.out[0].as<T>()[r * b.out[0].layout.row_stride() + column + n] = T(sums[r] + bias);
      });
      column += slice.count;
    }
  }

  void multiply(const SliceRows& slice, Dim n, float* x, float* sums) const noexcept {
    const StoredRows& rows = slice.decoder.rows();
    if (slice.stored != nullptr) {
      slice.stored(rows.row(n), x, rows_, k_, sums);
      for (Dim r = 0; r < rows_; ++r) sums[r] *= rows.scale(n);
      return;
    }
    float* decoded = x + (rows_ + thread_index()) * k_;
    slice.decoder.decode(n, decoded, decoded);
    dot_(reinterpret_cast<const std::byte*>(decoded), x, rows_, k_, sums);
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
