// Integer products against integer arithmetic: with scales of one, results are the exact sums,
// rounded once.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "formats/formats.h"
#include "support/op_test.h"

namespace tintype::test {
namespace {

using Codes = std::vector<int8_t>;

Codes constant(Dim count, int8_t value) { return Codes(static_cast<size_t>(count), value); }

Codes normal(Dim count, uint32_t seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> distribution(0, 40);
  Codes codes(static_cast<size_t>(count));
  for (int8_t& c : codes)
    c = static_cast<int8_t>(std::lrint(std::clamp(distribution(engine), -128.0f, 127.0f)));
  return codes;
}

int32_t dot(const int8_t* a, const int8_t* b, Dim k) {
  int32_t sum = 0;
  for (Dim i = 0; i < k; ++i) sum += a[i] * b[i];
  return sum;
}

class Int8LinearTest : public OpTest {
 protected:
  // x [m, k] times w [n, k].
  void expect_exact(Dim m, Dim n, Dim k, const Codes& x, const Codes& w) {
    SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k);
    const float one = 1;
    Parameter weight;
    weight.name = "w";
    weight.format = &kInt8;
    weight.shape = {n, k};
    weight.parts = {{std::as_bytes(std::span(w)), {n, k}}, {std::as_bytes(std::span(&one, 1)), {}}};

    OpCase c(act());
    Array codes({m, k}, DType::kI8), scales({m, 1}), want({m, n});
    std::ranges::copy(x, codes.values<int8_t>().begin());
    std::ranges::fill(scales.values(), 1.0f);
    c.output(int8_linear(c.given(codes), c.given(scales), {&weight, 0, n}, {}, "layer"));
    for (Dim r = 0; r < m; ++r)
      for (Dim j = 0; j < n; ++j) {
        const auto sum = static_cast<float>(dot(x.data() + r * k, w.data() + j * k, k));
        want[r * n + j] = act() == DType::kBF16 ? static_cast<float>(BF16(sum)) : sum;
      }
    expect_value(c, want, {});
  }
};

TEST_P(Int8LinearTest, FullScaleCodes) {
  for (Dim m : {1, 8, 40})
    for (int8_t x : {int8_t{127}, int8_t{-128}})
      for (int8_t w : {int8_t{127}, int8_t{-128}})
        expect_exact(m, 20, 3072, constant(m * 3072, x), constant(20 * 3072, w));
}

TEST_P(Int8LinearTest, OrdinaryCodes) {
  for (Dim m : {1, 3, 8, 9, 30})
    for (Dim n : {1, 5, 64, 150})
      for (Dim k : {64, 512}) expect_exact(m, n, k, normal(m * k, 1), normal(n * k, 2));
}

TEST_P(Int8LinearTest, OddShapes) {
  for (Dim k : {1, 5, 31, 100})
    for (Dim m : {1, 2, 11})
      for (Dim n : {1, 3, 18}) expect_exact(m, n, k, normal(m * k, 3), normal(n * k, 4));
}

TEST_P(Int8LinearTest, ScalesAndBias) {
  for (Dim m : {4, 30}) {
    OpCase c(act());
    const Tensor x = c.f32({2, m, 256});
    const auto [codes, scales] = quantise_rows(x, 256);
    const std::vector<RowSlice> whole = c.weight({60, 256}, kInt8, 256);
    c.output(int8_linear(codes, scales, whole[0], c.f32({60}), "layer"));
    c.output(int8_linear(codes, scales, {whole[0].parameter, 7, 40}, {}, "layer"));
    expect_reference(c, rounding(act(), /*roundings=*/4, /*magnitude=*/500));
  }
}

INSTANTIATE_OP_TEST(Int8LinearTest, Op::kInt8Linear);

}  // namespace
}  // namespace tintype::test
