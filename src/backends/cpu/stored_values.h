// Vector loads of the element types that weights are stored in, as f32. Values are exactly those of
// the format's decode_rows(). Included below simd.h by kernels that read weights.
//
// No #pragma once: see simd.h.

#if defined(TINTYPE_STORED_VALUES_ONCE) == defined(HWY_TARGET_TOGGLE)
#ifdef TINTYPE_STORED_VALUES_ONCE
#undef TINTYPE_STORED_VALUES_ONCE
#else
#define TINTYPE_STORED_VALUES_ONCE
#endif

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {

using Words = hn::RebindToUnsigned<Floats>;
using Ints = hn::RebindToSigned<Floats>;

struct Half {
  uint16_t bits;
};
struct E4M3 {
  uint8_t bits;
};
struct E5M2 {
  uint8_t bits;
};
struct Int8 {
  int8_t value;
};

// kLanes bytes, each in a 32-bit lane.
HWY_INLINE hn::Vec<Words> load_bytes(const uint8_t* p) {
  return hn::PromoteTo(Words(), hn::LoadU(hn::Rebind<uint8_t, Floats>(), p));
}

HWY_INLINE FloatVec from_half_bits(hn::Vec<hn::Rebind<uint16_t, Floats>> bits) {
  return hn::PromoteTo(Floats(), hn::BitCast(hn::Rebind<hwy::float16_t, Floats>(), bits));
}

HWY_INLINE FloatVec load(const Half* p) {
  const hn::Rebind<uint16_t, Floats> halves;
  return from_half_bits(hn::LoadU(halves, reinterpret_cast<const uint16_t*>(p)));
}

// E5M2 is the upper byte of a half.
HWY_INLINE FloatVec load(const E5M2* p) {
  const hn::Rebind<uint16_t, Floats> halves;
  const auto bytes = hn::LoadU(hn::Rebind<uint8_t, Floats>(), reinterpret_cast<const uint8_t*>(p));
  return from_half_bits(hn::ShiftLeft<8>(hn::PromoteTo(halves, bytes)));
}

// As the upper bits of a half, E4M3 is 2^8 too small, its exponent being biased by 7, not 15; and
// its NaN reads as 480.
HWY_INLINE FloatVec load(const E4M3* p) {
  const hn::Rebind<uint16_t, Floats> halves;
  const auto bytes = hn::LoadU(hn::Rebind<uint8_t, Floats>(), reinterpret_cast<const uint8_t*>(p));
  const auto bits = hn::PromoteTo(halves, bytes);
  const auto sign = hn::ShiftLeft<8>(hn::And(bits, hn::Set(halves, uint16_t{0x80})));
  const auto size = hn::ShiftLeft<7>(hn::And(bits, hn::Set(halves, uint16_t{0x7f})));
  const auto value = hn::Mul(from_half_bits(hn::Or(sign, size)), hn::Set(Floats(), 256.0f));
  const auto is_nan = hn::Eq(hn::Abs(value), hn::Set(Floats(), 480.0f));
  return hn::IfThenElse(is_nan, hn::NaN(Floats()), value);
}

HWY_INLINE FloatVec load(const Int8* p) {
  const auto codes = hn::LoadU(hn::Rebind<int8_t, Floats>(), reinterpret_cast<const int8_t*>(p));
  return hn::ConvertTo(Floats(), hn::PromoteTo(Ints(), codes));
}

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
