#include <algorithm>
#include <cmath>

#include "formats/formats.h"
#include "support/op_test.h"

namespace tintype::test {
namespace {

// Sums are exact integers; what is left are the roundings of acc * scale_x * scale_w + bias.
class Int8LinearTest : public OpTest {
 protected:
  static Array constant_codes(const Shape& shape, int8_t code) {
    Array codes(shape, DType::kI8);
    std::ranges::fill(codes.values<int8_t>(), code);
    return codes;
  }

  static Array random_codes(const Shape& shape, float sigma) {
    const Array normal = random_normal(shape, 7, sigma);
    Array codes(shape, DType::kI8);
    for (size_t i = 0; i < normal.values().size(); ++i)
      codes.values<int8_t>()[i] =
          static_cast<int8_t>(std::clamp(std::nearbyint(normal.values()[i]), -127.0f, 127.0f));
    return codes;
  }

  void check(const Array& codes, Dim n, bool with_bias) {
    SCOPED_TRACE(testing::Message() << codes.shape() << " x " << n);
    OpCase c(act());
    Shape scales = codes.shape();
    scales[scales.rank() - 1] = 1;
    const Tensor x = c.given(codes), s = c.f32(scales, 0.01f);
    const auto w = c.weight({n, codes.shape().cols()}, kInt8);
    c.output(int8_linear(x, s, w[0], with_bias ? c.f32({n}) : Tensor(), "layer"));
    // |acc * scale| stays below 127^2 * k * 0.05 * 0.03, but for these codes it is far smaller.
    expect_reference(c, rounding(act(), 4, 16));
  }
};

TEST_P(Int8LinearTest, MatchesReference) {
  for (bool bias : {false, true}) {
    check(random_codes({1, 1}, 40), 1, bias);
    check(random_codes({3, 7}, 40), 5, bias);
    check(random_codes({1, 320}, 40), 700, bias);
    check(random_codes({2, 20, 256}, 40), 530, bias);
    check(random_codes({33, 1024}, 40), 65, bias);
  }
}

// Where a product of bytes saturates, it does so here.
TEST_P(Int8LinearTest, FullScaleCodes) {
  for (int code : {127, -127, -128})
    for (Dim rows : {1, 40})
      check(constant_codes({rows, 512}, static_cast<int8_t>(code)), 70, true);
}

TEST_P(Int8LinearTest, TakesRowsOfTheWeight) {
  OpCase c(act());
  const Tensor x = c.given(random_codes({20, 64}, 40)), s = c.f32({20, 1}, 0.01f);
  auto w = c.weight({100, 64}, kInt8);
  w[0].first = 30, w[0].rows = 50;
  c.output(int8_linear(x, s, w[0], c.f32({50}), "layer"));
  expect_reference(c, rounding(act(), 4, 16));
}

INSTANTIATE_OP_TEST(Int8LinearTest, Op::kInt8Linear);

}  // namespace
}  // namespace tintype::test
