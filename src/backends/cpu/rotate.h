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

// Step 4: a, b, c, d are neighbouring quadruples, 16 values from p on.
HWY_INLINE void rotate_quadruples(float* p) {
  const Floats d;
#if HWY_TARGET == HWY_AVX2
  const FloatVec ab = rotate_lanes(load(p)), cd = rotate_lanes(load(p + 8));
  const FloatVec ba = hn::ReverseBlocks(d, ab), dc = hn::ReverseBlocks(d, cd);
  const FloatVec t = half_of(hn::Add(hn::Add(ab, ba), hn::Add(cd, dc)));
  store(hn::Sub(t, dc), p);
  store(hn::Sub(t, ba), p + 8);
#else
  const FloatVec abcd = rotate_lanes(load(p));
  const FloatVec pairs = hn::Add(abcd, hn::SwapAdjacentBlocks(abcd));
  const FloatVec t = half_of(hn::Add(pairs, hn::ReverseBlocks(d, pairs)));
  store(hn::Sub(t, hn::ReverseBlocks(d, abcd)), p);
#endif
}

// Step `apart` >= 16, in blocks of four times that.
HWY_INLINE void rotate_far(float* row, Dim cols, Dim apart) {
  for (Dim block = 0; block < cols; block += 4 * apart) {
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

// Each group of `group` (4, 16, 64, 256, 1024) consecutive values; cols % group == 0.
HWY_INLINE void rotate_row(float* row, Dim cols, Dim group) {
  if (group == 4) {
    Dim i = 0;
    for (; i + kLanes <= cols; i += kLanes) store(rotate_lanes(load(row + i)), row + i);
    if (i < cols) store_n(rotate_lanes(load_n(row + i, cols - i)), row + i, cols - i);
    return;
  }
  for (Dim i = 0; i < cols; i += 16) rotate_quadruples(row + i);
  for (Dim apart = 16; apart < group; apart *= 4) rotate_far(row, cols, apart);
}

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
