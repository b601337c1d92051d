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

using Bits = hn::RebindToSigned<Floats>;
using Codes = hn::Rebind<int8_t, Floats>;

// Without their sign, floats are in the order of their bits, and a NaN is the largest.
HWY_INLINE hn::Vec<Bits> size_bits(FloatVec x) { return hn::BitCast(Bits(), hn::Abs(x)); }

// `n` values of x as f32, rotated; returns the largest of `peak` and their size_bits().
template <class T>
HWY_INLINE hn::Vec<Bits> rotate_part(const T* x, Dim n, Dim rotation, float* values,
                                     hn::Vec<Bits> peak) {
  Dim i = 0;
  if (rotation == 0) {
    for (; i + kLanes <= n; i += kLanes) store(load(x + i), values + i);
    if (i < n) store_n(load_n(x + i, n - i), values + i, n - i);
  } else {
    rotate(x, n, rotation, values);
  }
  for (i = 0; i + kLanes <= n; i += kLanes) peak = hn::Max(peak, size_bits(load(values + i)));
  if (i < n) peak = hn::Max(peak, size_bits(load_n(values + i, n - i)));
  return peak;
}

// round(x / scale) to nearest, ties to even, as int8: |x| is at most 127 scales. A product with the
// inverse is off by less than 1e-4, which matters only close to a tie.
HWY_INLINE hn::Vec<Codes> codes_of(FloatVec x, FloatVec scale, FloatVec inverse) {
  // Added to a small number, this rounds it to a whole one, whose lowest byte is that of the sum.
  const FloatVec round = hn::Set(Floats(), 0x1.8p23f);
  FloatVec quotient = hn::Mul(x, inverse);
  FloatVec sum = hn::Add(quotient, round);
  const FloatVec off = hn::Abs(hn::Sub(quotient, hn::Sub(sum, round)));
  if (HWY_UNLIKELY(!hn::AllTrue(Floats(), hn::Lt(off, hn::Set(Floats(), 0.4999f)))))
    sum = hn::Add(hn::Div(x, scale), round);
  const hn::RebindToUnsigned<Floats> words;
  const auto bytes = hn::And(hn::BitCast(words, sum), hn::Set(words, 0xffu));
  return hn::BitCast(Codes(), hn::U8FromU32(bytes));
}

// Codes of one row of n values; returns their scale. `values` holds n floats.
template <class T>
float quantise_row(const std::byte* in, Dim n, Dim rotation, float* values, int8_t* codes) {
  const Dim part = rotation == 0 ? n : std::max<Dim>(rotation, 64);  // stays in the nearest cache
  auto peak = hn::Zero(Bits());
  for (Dim i = 0; i < n; i += part)
    peak = rotate_part(reinterpret_cast<const T*>(in) + i, std::min(part, n - i), rotation,
                       values + i, peak);
  const float largest = hn::GetLane(hn::BitCast(Floats(), hn::MaxOfLanes(Bits(), peak)));

  const float scale = std::max(largest / 127.0f, 1e-30f);
  const FloatVec divisor = hn::Set(Floats(), scale), inverse = hn::Set(Floats(), 1.0f / scale);
  Dim i = 0;
  for (; i + kLanes <= n; i += kLanes)
    hn::StoreU(codes_of(load(values + i), divisor, inverse), Codes(), codes + i);
  if (i < n) {
    HWY_ALIGN int8_t last[kLanes];
    hn::StoreU(codes_of(load_n(values + i, n - i), divisor, inverse), Codes(), last);
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
