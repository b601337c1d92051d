#include "backends/cpu/attend_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/attend_rows.cpp"
#include "backends/cpu/simd.h"

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {
namespace {

// Scores that are this far below the maximum, in powers of two, weigh nothing.
constexpr float kNothing = -127.0f;

// The smallest largest relative error among polynomials with p(0) = 1, on [-1/2, 1/2]. Weights that
// will be stored as bf16 need no more than the 1.0e-4 of the third degree; f32 gets 2.1e-7.
template <class T>
HWY_INLINE FloatVec fraction_power(FloatVec f) {
  const Floats d;
  FloatVec p;
  if constexpr (sizeof(T) == 2) {
    p = hn::MulAdd(hn::Set(d, 0.05500892f), f, hn::Set(d, 0.24221096f));
    p = hn::MulAdd(p, f, hn::Set(d, 0.69328293f));
  } else {
    p = hn::MulAdd(hn::Set(d, 0.0013310635f), f, hn::Set(d, 0.009671664f));
    p = hn::MulAdd(p, f, hn::Set(d, 0.055506281f));
    p = hn::MulAdd(p, f, hn::Set(d, 0.24022247f));
    p = hn::MulAdd(p, f, hn::Set(d, 0.69314697f));
  }
  return hn::MulAdd(p, f, hn::Set(d, 1.0f));
}

// 2^x for x <= 0, exactly 0 from kNothing down. Max gives its second operand for NaN, which stays.
template <class T>
HWY_INLINE FloatVec power_of_two(FloatVec x) {
  const Floats d;
  const hn::RebindToUnsigned<Floats> words;
  x = hn::Max(hn::Set(d, kNothing), x);
  // Adding 3 * 2^22 leaves round(x) in the low bits, from where it moves into the exponent.
  const FloatVec magic = hn::Set(d, 12582912.0f);
  const FloatVec shifted = hn::Add(x, magic);
  const FloatVec power = fraction_power<T>(hn::Sub(x, hn::Sub(shifted, magic)));
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(words, shifted));
  return hn::BitCast(d, hn::Add(hn::BitCast(words, power), exponent));
}

HWY_INLINE float largest_lane(FloatVec v) { return hn::GetLane(hn::MaxOfLanes(Floats(), v)); }

// n is a multiple of 2 * kLanes, as in weights_of().
float largest(const float* s, Dim n) {
  FloatVec a = load(s), b = load(s + kLanes);
  for (Dim i = 2 * kLanes; i < n; i += 2 * kLanes) {
    a = hn::Max(a, load(s + i));
    b = hn::Max(b, load(s + i + kLanes));
  }
  return largest_lane(hn::Max(a, b));
}

// s = scale * s + bias; the largest.
template <class B>
float add_bias(float* s, Dim n, float scale, const B* bias) {
  const FloatVec factor = hn::Set(Floats(), scale);
  FloatVec top = hn::Set(Floats(), std::numeric_limits<float>::lowest());
  Dim i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const FloatVec sum = hn::MulAdd(load(s + i), factor, load(bias + i));
    store(sum, s + i);
    top = hn::Max(top, sum);
  }
  float last = largest_lane(top);
  for (; i < n; ++i) {
    s[i] = s[i] * scale + static_cast<float>(bias[i]);
    last = std::max(last, s[i]);
  }
  return last;
}

HWY_INLINE void store_weights(FloatVec a, FloatVec b, float* p) {
  store(a, p);
  store(b, p + kLanes);
}
// To nearest. Weights are neither negative nor infinite, and a NaN is left in the total.
HWY_INLINE void store_weights(FloatVec a, FloatVec b, BF16* p) {
  const hn::RebindToUnsigned<Floats> words;
  const hn::Repartition<uint16_t, Floats> halves;
  const auto half = hn::Set(words, 0x8000u);
  const auto low = hn::BitCast(halves, hn::Add(hn::BitCast(words, a), half));
  const auto high = hn::BitCast(halves, hn::Add(hn::BitCast(words, b), half));
  hn::StoreU(hn::ConcatOdd(halves, high, low), halves, reinterpret_cast<uint16_t*>(p));
}

// weights = 2^(factor * s - top); their sum. `weights` may be the memory of `s`: scores are read
// before anything is written over them, since a weight is no larger than a score.
template <class T>
float weights_of(const float* s, Dim n, float factor, float top, T* weights) {
  const Floats d;
  const FloatVec scale = hn::Set(d, factor), low = hn::Set(d, top);
  FloatVec sums[2] = {hn::Zero(d), hn::Zero(d)};
  for (Dim i = 0; i < n; i += 2 * kLanes) {
    const FloatVec a = power_of_two<T>(hn::MulSub(load(s + i), scale, low));
    const FloatVec b = power_of_two<T>(hn::MulSub(load(s + i + kLanes), scale, low));
    store_weights(a, b, weights + i);
    sums[0] = hn::Add(sums[0], a);
    sums[1] = hn::Add(sums[1], b);
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(sums[0], sums[1])));
}

void multiply_row(float* row, Dim n, float factor) {
  const FloatVec by = hn::Set(Floats(), factor);
  Dim i = 0;
  for (; i + kLanes <= n; i += kLanes) store(hn::Mul(load(row + i), by), row + i);
  for (; i < n; ++i) row[i] *= factor;
}

// Keys that query r of the block sees in it.
Dim visible_keys(const ScoreBlock& b, Dim r) {
  if (!b.causal) return b.keys;
  return std::clamp(b.first_query + r + 1 - b.first_key, Dim{0}, b.keys);
}

float add_bias_row(const ScoreBlock& b, Dim r, Dim seen, float* s) {
  const Dim at = r * b.bias.stride(0);
  return b.bias.dtype == DType::kBF16 ? add_bias(s, seen, b.scale, b.bias.as<BF16>() + at)
                                      : add_bias(s, seen, b.scale, b.bias.as<float>() + at);
}

// Row r's weights end where row r + 1's scores begin, or before, so that all rows can lie in the
// memory of the scores.
template <class T>
void weigh(const ScoreBlock& b) {
  constexpr float kLog2E = 1.44269504f;
  const bool biased = b.bias.data != nullptr;
  const float factor = biased ? kLog2E : kLog2E * b.scale;
  for (Dim r = 0; r < b.queries; ++r) {
    float* const s = reinterpret_cast<float*>(b.scores) + r * b.width;
    T* const weights = reinterpret_cast<T*>(b.scores) + r * b.width;
    const Dim seen = visible_keys(b, r);
    const Dim whole = (seen + 2 * kLanes - 1) / (2 * kLanes) * (2 * kLanes);
    if (seen > 0) {
      std::fill(s + seen, s + whole, std::numeric_limits<float>::lowest());
      const float most = biased ? add_bias_row(b, r, seen, s) : largest(s, whole);
      const float top = std::max(b.top[r], factor * most);
      const float keep = std::exp2(b.top[r] - top);
      b.top[r] = top;
      b.total[r] = b.total[r] * keep + weights_of(s, whole, factor, top, weights);
      if (keep != 1.0f) multiply_row(b.sums + r * b.dim, b.dim, keep);
    }
    std::memset(static_cast<void*>(weights + whole), 0,
                static_cast<size_t>(b.width - whole) * sizeof(T));
  }
}

template <class T>
void finish(const ScoreBlock& b, const View& out) {
  for (Dim r = 0; r < b.queries; ++r) {
    const float* const sums = b.sums + r * b.dim;
    T* const y = out.as<T>() + r * out.stride(0);
    const FloatVec share = hn::Set(Floats(), 1.0f / b.total[r]);
    Dim i = 0;
    for (; i + kLanes <= b.dim; i += kLanes) store(hn::Mul(load(sums + i), share), y + i);
    if (i < b.dim) store_n(hn::Mul(load_n(sums + i, b.dim - i), share), y + i, b.dim - i);
  }
}

}  // namespace

void weigh_scores(const ScoreBlock& b) {
  b.type == DType::kBF16 ? weigh<BF16>(b) : weigh<float>(b);
}

void finish_rows(const ScoreBlock& b, const View& out) {
  out.dtype == DType::kBF16 ? finish<BF16>(b, out) : finish<float>(b, out);
}

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tintype::cpu {

AttendRows attend_rows(Isa isa) {
  return {TINTYPE_FOR_ISA(isa, weigh_scores), TINTYPE_FOR_ISA(isa, finish_rows)};
}

}  // namespace tintype::cpu
#endif
