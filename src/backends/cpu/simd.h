// What every Highway kernel starts from. A kernel file is compiled once for AVX2 and once for
// AVX-512, and looks like this:
//
//   #undef HWY_TARGET_INCLUDE
//   #define HWY_TARGET_INCLUDE "backends/cpu/negate.cpp"  // this file
//   #include "backends/cpu/simd.h"
//
//   HWY_BEFORE_NAMESPACE();
//   namespace tintype::cpu::HWY_NAMESPACE {  // N_AVX2, then N_AVX3
//
//   template <class T>
//   void negate_row(const std::byte* in, std::byte* out, Dim n) {
//     const T* x = reinterpret_cast<const T*>(in);
//     T* y = reinterpret_cast<T*>(out);
//     Dim i = 0;
//     for (; i + kLanes <= n; i += kLanes) store(hn::Neg(load(x + i)), y + i);
//     if (i < n) store_n(hn::Neg(load_n(x + i, n - i)), y + i, n - i);
//   }
//
//   }  // namespace tintype::cpu::HWY_NAMESPACE
//   HWY_AFTER_NAMESPACE();
//
//   #if HWY_ONCE
//   namespace tintype::cpu {
//   ... NegateRun(const NodeView& node, const DeviceFacts& facts)
//           : row_(node.in_dtype(0) == DType::kBF16 ? TINTYPE_FOR_ISA(facts.isa, negate_row<BF16>)
//                                                   : TINTYPE_FOR_ISA(facts.isa,
//                                                   negate_row<float>))
//   const Kernel kNegate{.id = "cpu.negate", ..., .needs = {.isa = Isa::kAvx2}, ...};
//   }  // namespace tintype::cpu
//   #endif
//
// The function is chosen while a node is prepared, by DeviceFacts alone: Highway's own detection is
// never asked. Open parallel regions in the plain code below HWY_ONCE: lambdas between
// HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE need HWY_ATTR, and are best avoided.
//
// No #pragma once: Highway includes this file once for each instruction set.

#ifndef TINTYPE_FOR_ISA
#define HWY_BASELINE_TARGETS HWY_AVX2
#define HWY_DISABLED_TARGETS (~(HWY_AVX2 | HWY_AVX3))
#define TINTYPE_FOR_ISA(isa, ...) \
  ((isa) == ::tintype::Isa::kAvx512 ? &N_AVX3::__VA_ARGS__ : &N_AVX2::__VA_ARGS__)
#endif

#include <cstring>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "graph/kernel.h"

#if defined(TINTYPE_SIMD_ONCE) == defined(HWY_TARGET_TOGGLE)
#ifdef TINTYPE_SIMD_ONCE
#undef TINTYPE_SIMD_ONCE
#else
#define TINTYPE_SIMD_ONCE
#endif

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;  // a full register of f32
using FloatVec = hn::Vec<Floats>;
inline constexpr Dim kLanes = HWY_LANES(float);

HWY_INLINE FloatVec load(const float* p) { return hn::LoadU(Floats(), p); }
HWY_INLINE FloatVec load(const BF16* p) {
  const hn::Rebind<uint16_t, Floats> halves;
  const hn::RebindToUnsigned<Floats> words;
  const auto bits = hn::LoadU(halves, reinterpret_cast<const uint16_t*>(p));
  return hn::BitCast(Floats(), hn::ShiftLeft<16>(hn::PromoteTo(words, bits)));
}

HWY_INLINE void store(FloatVec v, float* p) { hn::StoreU(v, Floats(), p); }
// To nearest, ties to even, as BF16 does: Highway's own conversion truncates.
HWY_INLINE void store(FloatVec v, BF16* p) {
  const hn::RebindToUnsigned<Floats> words;
  const hn::RebindToSigned<Floats> signed_words;
  const hn::Rebind<uint16_t, Floats> halves;
  const auto bits = hn::BitCast(words, v);
  const auto high = hn::ShiftRight<16>(bits);
  const auto odd = hn::And(high, hn::Set(words, 1u));
  const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(words, 0x7fffu)), odd));
  const auto quiet = hn::Or(high, hn::Set(words, 0x40u));
  const auto result = hn::IfThenElse(hn::RebindMask(words, hn::IsNaN(v)), quiet, rounded);
  hn::StoreU(hn::DemoteTo(halves, hn::BitCast(signed_words, result)), halves,
             reinterpret_cast<uint16_t*>(p));
}

// The first n <= kLanes elements; nothing beyond them is touched, the other lanes are zero.
template <class T>
HWY_INLINE FloatVec load_n(const T* p, Dim n) {
  HWY_ALIGN T lanes[kLanes] = {};
  std::memcpy(lanes, p, static_cast<size_t>(n) * sizeof(T));
  return load(lanes);
}
template <class T>
HWY_INLINE void store_n(FloatVec v, T* p, Dim n) {
  HWY_ALIGN T lanes[kLanes];
  store(v, lanes);
  std::memcpy(p, lanes, static_cast<size_t>(n) * sizeof(T));
}

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
