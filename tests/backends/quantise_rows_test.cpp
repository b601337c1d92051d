#include "support/op_test.h"

namespace tintype::test {
namespace {

class QuantiseRowsTest : public OpTest {
 protected:
  void check(Tensor (*input)(OpCase&), Dim rotation) {
    OpCase c(act());
    const auto [codes, scales] = quantise_rows(input(c), rotation);
    c.output(codes);
    c.output(scales);
    expect_reference(c, {});  // codes and scales are the same on every backend, to the bit
  }
};

TEST_P(QuantiseRowsTest, MatchesReferenceExactly) {
  check([](OpCase& c) { return c.act({1, 1}); }, 0);
  check([](OpCase& c) { return c.act({3, 7}); }, 0);
  check([](OpCase& c) { return c.act({2, 5, 320}, 5); }, 0);
  check([](OpCase& c) { return c.act({4, 3072}); }, 0);
}

TEST_P(QuantiseRowsTest, RotatesExactlyLikeTheReference) {
  for (Dim group : {4, 16, 64, 256}) check([](OpCase& c) { return c.act({5, 768}, 3); }, group);
  check([](OpCase& c) { return c.act({3, 4096}); }, 256);
}

TEST_P(QuantiseRowsTest, TakesParts) {
  check([](OpCase& c) { return slice(c.act({2, 5, 640}), 2, 64, 512); }, 256);
}

TEST_P(QuantiseRowsTest, RoundsTiesToEven) {
  OpCase c(act());
  const auto [codes, scales] =
      quantise_rows(c.given(array({1, 6}, {127, 0.5f, 1.5f, -2.5f, -0.5f, -127}), act()), 0);
  c.output(codes);
  expect_value(c, array({1, 6}, {127, 0, 2, -2, 0, -127}), {});
}

TEST_P(QuantiseRowsTest, ZerosHaveTheSmallestScale) {
  OpCase c(act());
  const auto [codes, scales] = quantise_rows(c.given(Array({2, 32}), act()), 16);
  c.output(scales);
  expect_value(c, array({2, 1}, {1e-30f, 1e-30f}), {});
}

INSTANTIATE_OP_TEST(QuantiseRowsTest, Op::kQuantiseRows);

}  // namespace
}  // namespace tintype::test
