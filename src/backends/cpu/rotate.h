// The Hadamard rotation of formats/hadamard.h on vectors, with the same operations in the same
// order: the results are equal to the last bit. Included below simd.h.
//
// No #pragma once: see simd.h.

#if defined(TINTYPE_ROTATE_ONCE) == defined(HWY_TARGET_TOGGLE)
#ifdef TINTYPE_ROTATE_ONCE
#undef TINTYPE_ROTATE_ONCE
#else
#define TINTYPE_ROTATE_ONCE
#endif

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {

HWY_INLINE FloatVec half_of(FloatVec sum) { return hn::Mul(hn::Set(Floats(), 0.5f), sum); }

// Step 1: a, b, c, d are neighbours.
HWY_INLINE FloatVec rotate_lanes(FloatVec v) {
  const FloatVec pairs = hn::Add(v, hn::Shuffle2301(v));  // a+b a+b c+d c+d
  const FloatVec t = half_of(hn::Add(pairs, hn::Shuffle1032(pairs)));
  return hn::Sub(t, hn::Shuffle0123(v));
}

// Steps 1 and 4 on 16 values; in step 4, a, b, c, d are neighbouring quadruples.
template <class T>
HWY_INLINE void rotate_near(const T* from, float* to) {
  const Floats d;
#if HWY_TARGET == HWY_AVX2
  const FloatVec ab = rotate_lanes(load(from)), cd = rotate_lanes(load(from + 8));
  const FloatVec ba = hn::ReverseBlocks(d, ab), dc = hn::ReverseBlocks(d, cd);
  const FloatVec t = half_of(hn::Add(hn::Add(ab, ba), hn::Add(cd, dc)));
  store(hn::Sub(t, dc), to);
  store(hn::Sub(t, ba), to + 8);
#else
  const FloatVec abcd = rotate_lanes(load(from));
  const FloatVec pairs = hn::Add(abcd, hn::SwapAdjacentBlocks(abcd));
  const FloatVec t = half_of(hn::Add(pairs, hn::ReverseBlocks(d, pairs)));
  store(hn::Sub(t, hn::ReverseBlocks(d, abcd)), to);
#endif
}

// Step `apart` >= 16, in blocks of four times that.
HWY_INLINE void rotate_far(float* row, Dim n, Dim apart) {
  for (Dim block = 0; block < n; block += 4 * apart) {
    for (Dim i = block; i < block + apart; i += kLanes) {
      float* p = row + i;
      const FloatVec a = load(p), b = load(p + apart), c = load(p + 2 * apart),
                     d = load(p + 3 * apart);
      const FloatVec t = half_of(hn::Add(hn::Add(a, b), hn::Add(c, d)));
      store(hn::Sub(t, d), p);
      store(hn::Sub(t, c), p + apart);
      store(hn::Sub(t, b), p + 2 * apart);
      store(hn::Sub(t, a), p + 3 * apart);
    }
  }
}

// Each group of `group` (4, 16, 64, 256, 1024) consecutive values; n % group == 0. `from` may be
// `to`.
template <class T>
HWY_INLINE void rotate(const T* from, Dim n, Dim group, float* to) {
  if (group == 4) {
    Dim i = 0;
    for (; i + kLanes <= n; i += kLanes) store(rotate_lanes(load(from + i)), to + i);
    if (i < n) store_n(rotate_lanes(load_n(from + i, n - i)), to + i, n - i);
    return;
  }
  for (Dim i = 0; i < n; i += 16) rotate_near(from + i, to + i);
  for (Dim apart = 16; apart < group; apart *= 4) rotate_far(to, n, apart);
}

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
