// Convolutions against the reference: kernels, strides, paddings, formats and few channels.
#include "formats/formats.h"
#include "support/op_test.h"

namespace tintype::test {
namespace {

class Conv2dTest : public OpTest {
 protected:
  void expect(const Shape& x, const Shape& weight, const Format& format, const Conv2dAttrs& attrs,
              bool bias = true, Dim rotation = 0) {
    SCOPED_TRACE(testing::Message() << x << " by " << weight << " as " << format.name());
    OpCase c(act());
    const Tensor in = c.act(x);
    c.output(conv2d(in, c.weight(weight, format, rotation), bias ? c.f32({weight[0]}) : Tensor(),
                    attrs, "layer"));
    expect_reference(c, product_rounding(act(), weight.elements() / weight[0]));
  }
};

constexpr Conv2dAttrs kSame{.stride = 1, .top = 1, .left = 1, .bottom = 1, .right = 1};
constexpr Conv2dAttrs kDown{.stride = 2, .top = 0, .left = 0, .bottom = 1, .right = 1};

TEST_P(Conv2dTest, EveryFormat) {
  for (const Format* format : formats()) expect({1, 6, 5, 256}, {16, 256, 1, 1}, *format, {});
  for (const Format* format : formats()) expect({1, 6, 5, 256}, {8, 256, 3, 3}, *format, kSame);
}

TEST_P(Conv2dTest, FewChannels) {
  for (Dim in : {1, 3, 4, 16})
    for (Dim out : {1, 3, 4, 16, 32}) expect({1, 8, 8, in}, {out, in, 3, 3}, kF32, kSame);
}

TEST_P(Conv2dTest, StridesPaddingsAndKernels) {
  expect({2, 9, 7, 16}, {24, 16, 3, 3}, kF16, kDown);
  expect({1, 8, 8, 16}, {8, 16, 3, 3}, kBF16, {});
  expect({1, 8, 8, 16}, {8, 16, 2, 2}, kF32, {.stride = 2});
  expect({1, 4, 9, 5}, {7, 5, 1, 3}, kF32, {.left = 1, .right = 1}, /*bias=*/false);
  expect({1, 5, 5, 8}, {8, 8, 1, 1}, kF32, {.stride = 2});
  expect({1, 1, 1, 1}, {1, 1, 1, 1}, kF32, {}, /*bias=*/false);
}

TEST_P(Conv2dTest, RotatedInputChannels) {
  expect({1, 6, 6, 16}, {8, 16, 3, 3}, kInt8, kSame, /*bias=*/true, /*rotation=*/16);
}

TEST_P(Conv2dTest, RowsOfTheWeight) {
  OpCase c(act());
  const Tensor x = c.act({1, 5, 5, 8});
  const std::vector<RowSlice> whole = c.weight({12, 8, 3, 3}, kF16);
  c.output(conv2d(x, {{whole[0].parameter, 3, 7}}, c.f32({7}), kSame, "layer"));
  expect_reference(c, product_rounding(act(), 72));
}

// One pixel: the kernel comes out mirrored, so that axes cannot be mixed up.
TEST_P(Conv2dTest, HasKnownValues) {
  OpCase c(act());
  const auto w = c.weight({1, 1, 2, 2}, kF32);
  const auto k = decode(*w[0].parameter);
  Array x({1, 3, 3, 1});
  x[1] = 1;  // row 0, column 1
  c.output(conv2d(c.given(x, act()), w, {}, {}, "layer"));
  expect_value(c, array({1, 2, 2, 1}, {k[1], k[0], 0, 0}), rounding(act(), 1, 4));
}

INSTANTIATE_OP_TEST(Conv2dTest, Op::kConv2d);

}  // namespace
}  // namespace tintype::test
