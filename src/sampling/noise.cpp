// The Gaussian generators of PyTorch's CPU backend and of stable-diffusion-webui's
// modules/rng_philox.py.
//
// PyTorch draws mt19937 uniforms in order, then turns blocks of 16 into normals by Box-Muller with
// Cephes' single-precision log, sin and cos, eight lanes at a time. Its compiler fused some of
// their products and sums; the last bit depends on which, so each fusion is written out here.
#include "sampling/noise.h"

#include <array>
#include <bit>
#include <cmath>
#include <random>

#include "base/nearest_name.h"

// Makes std::fma one instruction instead of a call; the value is the same either way.
#if defined(__x86_64__)
#define TINTYPE_FMA __attribute__((target("fma")))
#else
#define TINTYPE_FMA
#endif

namespace tintype {
namespace {

constexpr size_t kBlock = 16;
constexpr double kTwoPi = 6.283185307179586;

// A polynomial, highest power first.
template <size_t N>
TINTYPE_FMA float horner(float x, const std::array<float, N>& c) {
  float y = c[0];
  for (size_t i = 1; i < N; ++i) y = std::fma(y, x, c[i]);
  return y;
}

// Cephes logf, for normal positive x.
TINTYPE_FMA float cephes_log(float x) {
  constexpr std::array<float, 9> kP = {7.0376836292e-2f,  -1.1514610310e-1f, 1.1676998740e-1f,
                                       -1.2420140846e-1f, 1.4249322787e-1f,  -1.6668057665e-1f,
                                       2.0000714765e-1f,  -2.4999993993e-1f, 3.3333331174e-1f};
  constexpr float kLn2Low = -2.12194440e-4f, kLn2High = 0.693359375f;

  // x = m * 2^e with m in [sqrt(1/2), sqrt(2)).
  const auto bits = std::bit_cast<uint32_t>(x);
  float e = static_cast<float>(static_cast<int>(bits >> 23) - 126);
  float m = std::bit_cast<float>((bits & 0x007fffffu) | 0x3f000000u);
  if (m < 0.707106781186547524f) {
    e -= 1;
    m += m;
  }
  m -= 1;

  const float z = m * m;
  float y = horner(m, kP) * m;
  y = std::fma(y, z, e * kLn2Low);
  y = std::fma(-z, 0.5f, y);
  return std::fma(e, kLn2High, m + y);
}

struct SinCos {
  float sin, cos;
};

// Cephes sinf and cosf, for x in [0, 8192).
TINTYPE_FMA SinCos cephes_sincos(float x) {
  constexpr float kFourOverPi = 1.27323954473516f;
  constexpr std::array<float, 3> kPiOver4 = {0.78515625f, 2.4187564849853515625e-4f,
                                             3.77489497744594108e-8f};
  constexpr std::array<float, 3> kSin = {-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f};
  constexpr std::array<float, 3> kCos = {2.443315711809948e-5f, -1.388731625493765e-3f,
                                         4.166664568298827e-2f};

  // To [-pi/4, pi/4], and the octant it came from, made even.
  const int octant = (static_cast<int>(x * kFourOverPi) + 1) & ~1;
  for (const float part : kPiOver4) x = std::fma(static_cast<float>(octant), -part, x);

  const float z = x * x;
  const float even = std::fma(horner(z, kCos) * z, z, -(z * 0.5f)) + 1;
  const float odd = std::fma(horner(z, kSin) * z, x, x);

  const bool exchanged = (octant & 2) != 0;
  const float sin = exchanged ? even : odd, cos = exchanged ? odd : even;
  return {(octant & 4) != 0 ? -sin : sin, ((octant + 2) & 4) != 0 ? -cos : cos};
}

// 16 uniforms in [0, 1) become 16 normals.
TINTYPE_FMA void box_muller(float* block) {
  for (size_t i = 0; i < kBlock / 2; ++i) {
    const float u1 = 1 - block[i];  // (0, 1]: log needs it
    const float radius = std::sqrt(-2 * cephes_log(u1));
    const SinCos angle = cephes_sincos(static_cast<float>(kTwoPi) * block[i + kBlock / 2]);
    // PyTorch adds the mean, 0, which turns -0 into 0.
    block[i] = radius * angle.cos + 0.0f;
    block[i + kBlock / 2] = radius * angle.sin + 0.0f;
  }
}

void draw_uniform(std::mt19937& engine, std::span<float> out) {
  for (float& u : out) u = static_cast<float>(engine() & 0xffffffu) * 0x1p-24f;
}

// Fewer than 16 values: Box-Muller in double, one pair after the other.
void draw_few(std::mt19937& engine, std::span<float> out) {
  const auto uniform = [&] {
    const uint64_t high = engine(), low = engine();
    return static_cast<double>(((high << 32) | low) & ((uint64_t{1} << 53) - 1)) * 0x1p-53;
  };
  for (size_t i = 0; i < out.size(); i += 2) {
    const double angle = kTwoPi * uniform();
    const double radius = std::sqrt(-2 * std::log1p(-uniform()));
    out[i] = static_cast<float>(radius * std::cos(angle));
    if (i + 1 < out.size()) out[i + 1] = static_cast<float>(radius * std::sin(angle));
  }
}

using Words2 = std::array<uint32_t, 2>;
using Words4 = std::array<uint32_t, 4>;

// Philox 4x32-10; Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3".
Words4 philox(Words4 counter, Words2 key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xd2511f53u} * counter[0];
    const uint64_t b = uint64_t{0xcd9e8d57u} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(a)};
    key[0] += 0x9e3779b9u;
    key[1] += 0xbb67ae85u;
  }
  return counter;
}

constexpr Rng kRngs[] = {
    {"cpu", "PyTorch's CPU generator, as in ComfyUI", cpu_noise},
    {"nv", "PyTorch's CUDA layout, as in stable-diffusion-webui's NV source", nv_noise},
};

}  // namespace

Array cpu_noise(uint64_t seed, const Shape& shape) {
  Array noise(shape);
  const std::span<float> out = noise.values();
  std::mt19937 engine(static_cast<uint32_t>(seed));
  if (out.size() < kBlock) {
    draw_few(engine, out);
    return noise;
  }

  draw_uniform(engine, out);
  for (size_t i = 0; i + kBlock <= out.size(); i += kBlock) box_muller(&out[i]);
  if (out.size() % kBlock != 0) {  // the last 16 are drawn again, over the end of the last block
    const std::span<float> last = out.last(kBlock);
    draw_uniform(engine, last);
    box_muller(last.data());
  }
  return noise;
}

Array nv_noise(uint64_t seed, const Shape& shape) {
  // 2^-32 and 2^-32 * 2 pi as the original has them: singles that are then used in double.
  constexpr double kInverse = 2.3283064e-10f;
  constexpr double kInverse2Pi = static_cast<float>(2.3283064e-10 * 6.2831855);

  Array noise(shape);
  const Words2 key = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  uint32_t index = 0;
  for (float& value : noise.values()) {
    const Words4 bits = philox({0, 0, index++, 0}, key);
    const double u = bits[0] * kInverse + kInverse / 2;
    const double angle = bits[1] * kInverse2Pi + kInverse2Pi / 2;
    value = static_cast<float>(std::sqrt(-2 * std::log(u)) * std::sin(angle));
  }
  return noise;
}

std::span<const Rng> rngs() { return kRngs; }

const Rng& find_rng(std::string_view name) { return find_named("rng", name, rngs()); }

}  // namespace tintype
