#include "backends/cpu/store_sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/store_sums.cpp"
#include "backends/cpu/simd.h"

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {

// n <= kLanes elements.
HWY_INLINE FloatVec load_most(const float* p, Dim n) {
  return n == kLanes ? load(p) : load_n(p, n);
}
HWY_INLINE FloatVec load_most(const int32_t* p, Dim n) {
  const hn::RebindToSigned<Floats> ints;
  if (n == kLanes) return hn::ConvertTo(Floats(), hn::LoadU(ints, p));
  HWY_ALIGN int32_t lanes[kLanes] = {};
  std::memcpy(lanes, p, static_cast<size_t>(n) * sizeof(int32_t));
  return hn::ConvertTo(Floats(), hn::Load(ints, lanes));
}

template <class T>
HWY_INLINE void store_most(FloatVec v, T* p, Dim n) {
  n == kLanes ? store(v, p) : store_n(v, p, n);
}

template <class Sum, class T>
void store_sums(const SumsToStore& s) {
  for (Dim r = 0; r < s.rows; ++r) {
    const Sum* sums = static_cast<const Sum*>(s.sums) + r * s.sums_stride;
    T* out = reinterpret_cast<T*>(s.out) + r * s.out_stride;
    for (Dim c = 0; c < s.cols; c += kLanes) {
      const Dim n = s.cols - c < kLanes ? s.cols - c : kLanes;
      FloatVec v = load_most(sums + c, n);
      if (s.row_scales != nullptr) {
        const FloatVec column = s.scale_per_column ? load_most(s.column_scales + c, n)
                                                   : hn::Set(Floats(), *s.column_scales);
        v = hn::Mul(hn::Mul(v, hn::Set(Floats(), s.row_scales[r * s.row_scales_stride])), column);
      }
      if (s.bias != nullptr) v = hn::Add(v, load_most(s.bias + c, n));
      store_most(v, out + c, n);
    }
  }
}

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tintype::cpu {

StoreSums store_f32_sums(DType out, Isa isa) {
  return out == DType::kBF16 ? TINTYPE_FOR_ISA(isa, store_sums<float, BF16>)
                             : TINTYPE_FOR_ISA(isa, store_sums<float, float>);
}

StoreSums store_int8_sums(DType out, Isa isa) {
  return out == DType::kBF16 ? TINTYPE_FOR_ISA(isa, store_sums<int32_t, BF16>)
                             : TINTYPE_FOR_ISA(isa, store_sums<int32_t, float>);
}

}  // namespace tintype::cpu
#endif
