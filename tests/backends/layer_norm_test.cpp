#include <cmath>

#include "support/op_test.h"

namespace tintype::test {
namespace {

class LayerNormTest : public OpTest {};

const Shape kShapes[] = {{1, 2}, {3, 7}, {2, 5, 64}, {1, 9, 77}, {4, 3072}};

// Statistics of up to 3072 terms summed in lanes lose a few units of 2^-24; results reach 6.
Tolerance norm_rounding(DType stored) { return rounding(stored, 16, 6); }

TEST_P(LayerNormTest, MatchesReference) {
  for (const Shape& shape : kShapes) {
    OpCase c(act());
    c.output(layer_norm(c.act(shape, 2), 1e-6f));
    expect_reference(c, norm_rounding(act()));
  }
}

TEST_P(LayerNormTest, ScalesAndShifts) {
  for (const Shape& shape : kShapes)
    for (bool f32 : {false, true}) {
      OpCase c(act());
      const Tensor x = c.act(shape, 2);
      Shape stretched = shape;
      if (shape.rank() > 1) stretched[shape.rank() - 2] = 1;
      for (const Shape& small : {Shape{shape.cols()}, stretched, shape}) {
        const Tensor scale = f32 ? c.f32(small) : c.act(small);
        c.output(layer_norm(x, 1e-5f, scale, f32 ? c.f32(small) : c.act(small)));
      }
      expect_reference(c, rounding(act(), 16, 20));
    }
}

// The mean is far larger than the deviation: sums of squares would cancel.
TEST_P(LayerNormTest, KeepsPrecisionFarFromZero) {
  OpCase c(act());
  Array x({2, 512});
  for (Dim i = 0; i < x.elements(); ++i) x[i] = 4096 + 32 * static_cast<float>(i * 7 % 5);
  c.output(layer_norm(c.given(x, act()), 1e-6f));
  expect_reference(c, norm_rounding(act()));
}

TEST_P(LayerNormTest, KeepsNaN) {
  OpCase c(act());
  c.output(layer_norm(c.given(array({2, 2}, {NAN, 1, 1, 3}), act()), 0));
  expect_value(c, array({2, 2}, {NAN, NAN, -1, 1}), rounding(act(), 4, 1));
}

INSTANTIATE_OP_TEST(LayerNormTest, Op::kLayerNorm);

}  // namespace
}  // namespace tintype::test
