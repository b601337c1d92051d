// The vector functions against the C library in double.
#include <bit>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "support/evaluate.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/math_simd_test.cpp"
#include "backends/cpu/math_simd.h"

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {

template <FloatVec (*f)(FloatVec)>
void map(std::vector<float>& values) {
  const auto n = static_cast<Dim>(values.size());
  for (Dim i = 0; i < n; i += kLanes) {
    const Dim count = std::min(kLanes, n - i);
    store_n(f(load_n(values.data() + i, count)), values.data() + i, count);
  }
}

void map_exp(std::vector<float>& values) { map<exp>(values); }
void map_sigmoid(std::vector<float>& values) { map<sigmoid>(values); }
void map_erf(std::vector<float>& values) { map<erf>(values); }

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tintype::cpu {
namespace {

// Numbers of both signs from `low` to `high`, evenly spaced in their bits.
std::vector<float> spread(float low, float high) {
  std::vector<float> values;
  const auto end = std::bit_cast<uint32_t>(high);
  for (auto bits = std::bit_cast<uint32_t>(low); bits < end; bits += 997) {
    values.push_back(std::bit_cast<float>(bits));
    values.push_back(-values.back());
  }
  return values;
}

// The largest error in units in the last place of the result.
double worst_ulps(void (*map)(std::vector<float>&), double (*exact)(double),
                  const std::vector<float>& x) {
  std::vector<float> got = x;
  map(got);
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double want = exact(x[i]);
    const float size = std::max(std::fabs(static_cast<float>(want)), 0x1p-126f);
    const double ulp = std::nextafter(size, INFINITY) - size;
    worst = std::max(worst, std::fabs(got[i] - want) / ulp);
  }
  return worst;
}

class MathSimdTest : public testing::Test {
 protected:
  void SetUp() override {
    if (test::test_facts().isa < Isa::kAvx2) GTEST_SKIP() << "needs avx2";
  }
  Isa isa = test::test_facts().isa;
};

TEST_F(MathSimdTest, Exp) {
  EXPECT_LE(worst_ulps(TINTYPE_FOR_ISA(isa, map_exp), std::exp, spread(1e-20f, 87)), 2);
}

TEST_F(MathSimdTest, Erf) {
  EXPECT_LE(worst_ulps(TINTYPE_FOR_ISA(isa, map_erf), std::erf, spread(1e-30f, 1e30f)), 2);
}

TEST_F(MathSimdTest, Sigmoid) {
  const auto exact = [](double x) { return 1 / (1 + std::exp(-x)); };
  EXPECT_LE(worst_ulps(TINTYPE_FOR_ISA(isa, map_sigmoid), exact, spread(1e-20f, 87)), 4);
}

}  // namespace
}  // namespace tintype::cpu
#endif
