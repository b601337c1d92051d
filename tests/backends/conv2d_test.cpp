#include "formats/formats.h"
#include "support/op_test.h"

namespace tintype::test {
namespace {

class Conv2dTest : public OpTest {
 protected:
  void check(const Shape& x, const Shape& w, const Conv2dAttrs& attrs, const Format& format = kF32,
             Dim rotation = 0) {
    SCOPED_TRACE(testing::Message() << x << " * " << w << ' ' << format.name());
    for (bool bias : {false, true}) {
      OpCase c(act());
      const Tensor image = c.act(x);
      const auto slices = c.weight(w, format, rotation);
      c.output(conv2d(image, slices, bias ? c.f32({w[0]}) : Tensor(), attrs, "layer"));
      expect_reference(c, product_rounding(act(), w[1] * w[2] * w[3]));
    }
  }
};

constexpr Conv2dAttrs kSame{.stride = 1, .top = 1, .left = 1, .bottom = 1, .right = 1};

TEST_P(Conv2dTest, Shapes) {
  check({1, 1, 1, 1}, {1, 1, 1, 1}, {});
  check({1, 5, 7, 3}, {4, 3, 3, 3}, kSame);
  check({2, 9, 8, 16}, {33, 16, 3, 3}, kSame);
  check({1, 8, 8, 32}, {16, 32, 1, 1}, {});
  check({1, 12, 12, 4}, {32, 4, 3, 3}, {});
}

// A VAE's downsampling pads at the bottom and the right only.
TEST_P(Conv2dTest, Strides) {
  check({1, 8, 10, 16}, {16, 16, 3, 3}, {.stride = 2, .bottom = 1, .right = 1});
  check({1, 9, 9, 3}, {8, 3, 2, 2}, {.stride = 2});
}

TEST_P(Conv2dTest, Formats) {
  for (const Format* format : formats()) check({1, 6, 6, 256}, {8, 256, 1, 1}, {}, *format);
  check({1, 6, 6, 32}, {8, 32, 3, 3}, kSame, kF16);
  check({1, 6, 6, 32}, {8, 32, 3, 3}, kSame, kBF16);
  check({1, 6, 6, 32}, {8, 32, 3, 3}, kSame, kFp8E4M3);
}

// The identity kernel: what comes out is what went in, so axes cannot be mixed up.
TEST_P(Conv2dTest, HasKnownValues) {
  OpCase c(act());
  const auto w = c.weight({1, 1, 2, 2}, kF32);
  const auto k = decode(*w[0].parameter);
  Array x({1, 3, 3, 1});
  x[1] = 1;  // row 0, column 1
  c.output(conv2d(c.given(x, act()), w, {}, {}, "layer"));
  expect_value(c, array({1, 2, 2, 1}, {k[1], k[0], 0, 0}),
               {.relative = act() == DType::kBF16 ? 0x1p-8 : 0});
}

INSTANTIATE_OP_TEST(Conv2dTest, Op::kConv2d);

}  // namespace
}  // namespace tintype::test
