// Sums over a row, for each instruction set. Included once for each, like simd.h.

#include "backends/cpu/simd.h"

#if defined(TINTYPE_SUM_ONCE) == defined(HWY_TARGET_TOGGLE)
#ifdef TINTYPE_SUM_ONCE
#undef TINTYPE_SUM_ONCE
#else
#define TINTYPE_SUM_ONCE
#endif

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {

// The sum of f(x) over the n elements of a row: each lane of four registers adds its own share, so
// that errors stay small, and the order depends on n alone.
template <class F, class T>
HWY_INLINE float sum_row(F f, const T* x, Dim n) {
  const Floats d;
  FloatVec sums[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  Dim i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes)
    for (size_t j = 0; j < 4; ++j)
      sums[j] = hn::Add(sums[j], f(load(x + i + static_cast<Dim>(j) * kLanes)));
  for (; i + kLanes <= n; i += kLanes) sums[0] = hn::Add(sums[0], f(load(x + i)));
  if (i < n) {
    const auto exists = hn::FirstN(d, static_cast<size_t>(n - i));
    sums[1] = hn::Add(sums[1], hn::IfThenElseZero(exists, f(load_n(x + i, n - i))));
  }
  const FloatVec all = hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
  return hn::GetLane(hn::SumOfLanes(d, all));
}

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
