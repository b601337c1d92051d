// Codes and scales of rows: equal to the reference to the last bit.
#include <cmath>

#include "support/op_test.h"

namespace tintype::test {
namespace {

class QuantiseRowsTest : public OpTest {};

void output(OpCase& c, Tensor x, Dim rotation) {
  const auto [codes, scales] = quantise_rows(x, rotation);
  c.output(codes);
  c.output(scales);
}

TEST_P(QuantiseRowsTest, EqualsTheReference) {
  for (Dim rotation : {0, 4, 16, 64, 256, 1024}) {
    for (Dim groups : {1, 3}) {
      OpCase c(act());
      output(c, c.act({2, 5, std::max<Dim>(rotation, 1) * groups}), rotation);
      expect_reference(c, {});
    }
  }
}

TEST_P(QuantiseRowsTest, OddRows) {
  for (Dim cols : {1, 7, 31, 130}) {
    OpCase c(act());
    output(c, c.act({3, cols}), 0);
    expect_reference(c, {});
  }
  OpCase c(act());
  output(c, c.act({3, 20}), 4);
  expect_reference(c, {});
}

TEST_P(QuantiseRowsTest, TiesZeroAndLargeValues) {
  OpCase c(act());
  output(c,
         c.given(array({3, 6}, {127, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f,  //
                                0, 0, 0, 0, 0, 0,                     //
                                -1e30f, 1e30f, 1, 0, 0, 0}),
                 act()),
         0);
  expect_reference(c, {});
  for (const NamedArrays& result : run(c)) {
    const std::vector<float> want{127, 0, 2, 2, 0, -2, 0, 0, 0, 0, 0, 0, -127, 127, 0, 0, 0, 0};
    EXPECT_TRUE(is_close(result.at("out0"), Array({3, 6}, want), {}));
    EXPECT_EQ(result.at("out1")[1], 1e-30f);
  }
}

// Codes cannot hold a NaN: the scale does, so that it reaches the product.
TEST_P(QuantiseRowsTest, KeepsNaN) {
  for (Dim rotation : {0, 4}) {
    OpCase c(act());
    const Tensor x = c.given(array({2, 4}, {1, NAN, 3, 4, 127, 127, 127, 127}), act());
    c.output(quantise_rows(x, rotation)[1]);
    expect_value(c, array({2, 1}, {NAN, 1}), {});
  }
}

INSTANTIATE_OP_TEST(QuantiseRowsTest, Op::kQuantiseRows);

}  // namespace
}  // namespace tintype::test
