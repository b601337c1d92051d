#include "support/op_test.h"

namespace tintype::test {
namespace {

class CopyTest : public OpTest {
 protected:
  static Tensor copied(Tensor x, DType to) {
    return x.graph().node({.op = Op::kCopy, .inputs = {x}, .outputs = {{to, x.shape()}}});
  }

  void expect_exact(Tensor (*view)(Tensor), const Shape& shape) {
    for (DType to : {DType::kF32, DType::kBF16}) {
      OpCase c(act());
      c.output(copied(view(c.act(shape)), to));
      expect_reference(c, {});
    }
  }
};

TEST_P(CopyTest, Dense) {
  for (const Shape& shape : {Shape{1}, Shape{3, 7}, Shape{3, 9001}})
    expect_exact([](Tensor x) { return x; }, shape);
}

TEST_P(CopyTest, PartOfEveryRow) {
  expect_exact([](Tensor x) { return slice(x, -1, 3, 17); }, {2, 5, 33});
}

TEST_P(CopyTest, HeadsToFront) {
  expect_exact([](Tensor x) { return permute(x, {0, 2, 1, 3}); }, {2, 5, 3, 16});
}

TEST_P(CopyTest, ChannelsLast) {
  for (const Shape& shape : {Shape{2, 3, 40, 37}, Shape{1, 16, 8, 8}, Shape{1, 70, 1, 65}})
    expect_exact([](Tensor x) { return permute(x, {0, 2, 3, 1}); }, shape);
}

TEST_P(CopyTest, Transposed) {
  for (const Shape& shape : {Shape{1, 5}, Shape{5, 1}, Shape{33, 31}, Shape{100, 64}})
    expect_exact([](Tensor x) { return permute(x, {1, 0}); }, shape);
}

TEST_P(CopyTest, Reversed) {
  expect_exact([](Tensor x) { return permute(x, {3, 2, 1, 0}); }, {3, 5, 7, 11});
}

TEST_P(CopyTest, PatchesOfLatents) {
  expect_exact(
      [](Tensor x) {
        return permute(reshape(x, {2, 4, 6, 2, 5, 2}), {0, 2, 4, 1, 3, 5});
      },
      {2, 4, 12, 10});
}

TEST_P(CopyTest, MovesIntegers) {
  OpCase c(act());
  c.output(copied(permute(c.indices({5, 70}, 50000), {1, 0}), DType::kI32));
  expect_reference(c, {});
}

INSTANTIATE_OP_TEST(CopyTest, Op::kCopy);

}  // namespace
}  // namespace tintype::test
