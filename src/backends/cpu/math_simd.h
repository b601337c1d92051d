// Functions of one register of f32, for each instruction set. Included once for each, like simd.h.

#include "backends/cpu/simd.h"
// After simd.h, which says which instruction sets there are.
#include <hwy/contrib/math/math-inl.h>

#if defined(TINTYPE_MATH_ONCE) == defined(HWY_TARGET_TOGGLE)
#ifdef TINTYPE_MATH_ONCE
#undef TINTYPE_MATH_ONCE
#else
#define TINTYPE_MATH_ONCE
#endif

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {

// Within 1 ulp for x <= 88; 0 below -104 and for NaN.
HWY_INLINE FloatVec exp(FloatVec x) { return hn::Exp(Floats(), x); }

// 1 / (1 + e^-x), relative error below 2^-21 where the result is a normal number. NaN becomes a
// number: what multiplies it by its argument keeps the NaN.
HWY_INLINE FloatVec sigmoid(FloatVec x) {
  const FloatVec one = hn::Set(Floats(), 1.0f);
  const FloatVec bounded = hn::Min(hn::Neg(x), hn::Set(Floats(), 88.0f));
  return hn::Div(one, hn::Add(one, exp(bounded)));
}

// c[0] + c[1] x + c[2] x^2 + ...
template <size_t kTerms>
HWY_INLINE FloatVec polynomial(FloatVec x, const float (&c)[kTerms]) {
  FloatVec sum = hn::Set(Floats(), c[kTerms - 1]);
  for (size_t i = kTerms - 1; i-- > 0;) sum = hn::MulAdd(sum, x, hn::Set(Floats(), c[i]));
  return sum;
}

// Within 2 ulp everywhere. Minimax polynomials, fitted in extended precision:
//   |x| < 1: erf(x) = x + x P(x^2);  1 <= |x|: erf(x) = 1 - e^Q(|x|), Q being ln erfc on [1, 4].
HWY_INLINE FloatVec erf(FloatVec x) {
  constexpr float kP[] = {0.12837917f,   -0.37612626f,   0.112835854f,  -0.026853811f,
                          0.0051883264f, -0.0008010182f, 7.8538236e-05f};
  constexpr float kQ[] = {-0.00034151174f, -1.1270893f,   -0.63814473f,  -0.10310681f,
                          0.021838091f,    -0.002947665f, 0.00018637987f};
  const FloatVec one = hn::Set(Floats(), 1.0f);
  const FloatVec size = hn::Abs(x);
  const FloatVec inner = hn::MulAdd(x, polynomial(hn::Mul(x, x), kP), x);
  const FloatVec bounded = hn::Min(size, hn::Set(Floats(), 4.0f));  // erf(4) rounds to 1
  const FloatVec outer = hn::Sub(one, exp(polynomial(bounded, kQ)));
  return hn::IfThenElse(hn::Lt(size, one), inner, hn::CopySign(outer, x));
}

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
