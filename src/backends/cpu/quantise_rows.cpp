// Int8 codes of rows on the CPU: rotate, find the row's maximum, divide by the scale, round.
#include <algorithm>

#include "backends/cpu/kernel_list.h"
#include "base/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/quantise_rows.cpp"
#include "backends/cpu/simd.h"
// After simd.h: it has a part for each instruction set.
#include "backends/cpu/rotate.h"

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {

// Largest |x|.
HWY_INLINE float peak_of(const float* x, Dim n) {
  FloatVec peak = hn::Zero(Floats());
  Dim i = 0;
  for (; i + kLanes <= n; i += kLanes) peak = hn::Max(peak, hn::Abs(load(x + i)));
  if (i < n) peak = hn::Max(peak, hn::Abs(load_n(x + i, n - i)));
  return hn::GetLane(hn::MaxOfLanes(Floats(), peak));
}

// round(x / scale) to nearest, ties to even, saturated to int8.
HWY_INLINE hn::Vec<hn::Rebind<int8_t, Floats>> codes_of(FloatVec x, FloatVec scale) {
  return hn::DemoteTo(hn::Rebind<int8_t, Floats>(), hn::NearestInt(hn::Div(x, scale)));
}

// Codes of one row of n values; returns their scale. `values` holds n floats.
template <class T>
float quantise_row(const std::byte* in, Dim n, Dim rotation, float* values, int8_t* codes) {
  const T* x = reinterpret_cast<const T*>(in);
  Dim i = 0;
  for (; i + kLanes <= n; i += kLanes) store(load(x + i), values + i);
  if (i < n) store_n(load_n(x + i, n - i), values + i, n - i);
  if (rotation != 0) rotate_row(values, n, rotation);

  const float scale = std::max(peak_of(values, n) / 127.0f, 1e-30f);
  const FloatVec divisor = hn::Set(Floats(), scale);
  const hn::Rebind<int8_t, Floats> bytes;
  for (i = 0; i + kLanes <= n; i += kLanes)
    hn::StoreU(codes_of(load(values + i), divisor), bytes, codes + i);
  if (i < n) {
    HWY_ALIGN int8_t last[kLanes];
    hn::StoreU(codes_of(load_n(values + i, n - i), divisor), bytes, last);
    std::memcpy(codes + i, last, static_cast<size_t>(n - i));
  }
  return scale;
}

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tintype::cpu {
namespace {

class QuantiseRows final : public Prepared {
 public:
  QuantiseRows(const NodeView& node, const DeviceFacts& facts)
      : rotation_(node.node.attr<QuantiseRowsAttrs>().rotation),
        threads_(facts.threads),
        cols_(node.in[0].shape.cols()),
        row_(node.in_dtype(0) == DType::kBF16 ? TINTYPE_FOR_ISA(facts.isa, quantise_row<BF16>)
                                              : TINTYPE_FOR_ISA(facts.isa, quantise_row<float>)) {}

  size_t scratch_bytes() const override {
    return static_cast<size_t>(threads_ * cols_) * sizeof(float);
  }

  void run(const Buffers& b) const noexcept override {
    const View &x = b.in[0], &codes = b.out[0], &scales = b.out[1];
    const Dim x_stride = x.layout.row_stride() * static_cast<Dim>(size_of(x.dtype));
    parallel_for(x.shape().rows(), [&](Dim r) {
      float* values = reinterpret_cast<float*>(b.scratch) + thread_index() * cols_;
      int8_t* row_codes = codes.as<int8_t>() + r * cols_;
      scales.as<float>()[r] = row_(x.data + r * x_stride, cols_, rotation_, values, row_codes);
    });
  }

 private:
  Dim rotation_;
  int threads_;
  Dim cols_;
  float (*row_)(const std::byte*, Dim, Dim, float*, int8_t*);
};

}  // namespace

const Kernel kQuantiseRows{
    .id = "cpu.quantise_rows",
    .op = Op::kQuantiseRows,
    .needs = {.dtypes = {DType::kF32, DType::kBF16}, .in = Access::kMatrix, .isa = Isa::kAvx2},
    .prepare = prepare<QuantiseRows>,
};

}  // namespace tintype::cpu
#endif
