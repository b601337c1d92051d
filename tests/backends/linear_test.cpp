// Float products: every kernel, format and number of rows, against the reference.
#include "formats/formats.h"
#include "support/op_test.h"

namespace tintype::test {
namespace {

class LinearTest : public OpTest {
 protected:
  void expect(const OpCase& c, Dim terms) { expect_reference(c, product_rounding(act(), terms)); }
};

TEST_P(LinearTest, EveryFormat) {
  for (const Format* format : formats()) {
    for (Dim rows : {1, 5, 8, 9, 40}) {
      SCOPED_TRACE(testing::Message() << format->name() << ", " << rows << " rows");
      OpCase c(act());
      const Tensor x = c.act({rows, 512});
      c.output(linear(x, c.weight({70, 512}, *format), c.f32({70}), "layer"));
      expect(c, 512);
    }
  }
}

TEST_P(LinearTest, RotatedWeightOnly) {
  for (Dim rows : {3, 20}) {
    OpCase c(act());
    const Tensor x = c.act({rows, 768});
    c.output(linear(x, c.weight({33, 768}, kInt8, 256), {}, "layer"));
    expect(c, 768);
  }
}

TEST_P(LinearTest, OddAndTinyShapes) {
  for (const Format* format :
       {static_cast<const Format*>(&kF32), static_cast<const Format*>(&kF16),
        static_cast<const Format*>(&kBF16), static_cast<const Format*>(&kFp8E4M3)}) {
    for (const Shape& shape : {Shape{1, 1}, Shape{2, 3}, Shape{17, 7}, Shape{3, 129}}) {
      for (Dim n : {1, 19}) {
        OpCase c(act());
        const Dim k = shape[1];
        const Tensor x = c.act(shape);
        c.output(linear(x, c.weight({n, k}, *format), {}, "layer"));
        expect(c, k);
      }
    }
  }
}

TEST_P(LinearTest, SeveralPanelsAndBatches) {
  OpCase c(act());
  const Tensor x = c.act({2, 11, 256});
  c.output(linear(x, c.weight({1100, 256}, kQ6_K), c.f32({1100}), "layer"));
  c.output(linear(x, c.weight({1100, 256}, kF32), c.f32({1100}), "layer"));
  c.output(linear(x, c.weight({1100, 256}, kBF16), c.f32({1100}), "layer"));
  expect(c, 256);
}

TEST_P(LinearTest, MoreRowsThanABlock) {
  OpCase c(act());
  const Tensor x = c.act({1301, 32});
  c.output(linear(x, c.weight({48, 32}, kQ8_0), c.f32({48}), "layer"));
  expect(c, 32);
}

TEST_P(LinearTest, SlicesOfDifferentFormats) {
  for (Dim rows : {2, 30}) {
    OpCase c(act());
    const Tensor x = c.act({rows, 256});
    std::vector<RowSlice> slices = c.weight({40, 256}, kF16);
    slices[0] = {slices[0].parameter, 9, 21};
    for (const Format* format :
         {static_cast<const Format*>(&kQ4_K), static_cast<const Format*>(&kF32),
          static_cast<const Format*>(&kInt8)}) {
      const std::vector<RowSlice> whole = c.weight({50, 256}, *format);
      slices.push_back({whole[0].parameter, 30, 20});
      slices.push_back({whole[0].parameter, 1, 5});
    }
    c.output(linear(x, slices, c.f32({96}), "layer"));
    expect(c, 256);
  }
}

TEST_P(LinearTest, HasKnownValues) {
  OpCase c(act());
  const auto w = c.weight({2, 3}, kF32);
  const auto rows = decode(*w[0].parameter);
  c.output(linear(c.given(array({2, 3}, {1, 0, 0, 0, 2, 0}), act()), w,
                  c.given(array({2}, {10, 20})), "layer"));
  const auto want = {rows[0] + 10, rows[3] + 20, 2 * rows[1] + 10, 2 * rows[4] + 20};
  expect_value(c, array({2, 2}, want), rounding(act(), 2, 24));
}

INSTANTIATE_OP_TEST(LinearTest, Op::kLinear);

}  // namespace
}  // namespace tintype::test
