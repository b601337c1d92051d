#include "tensor/array.h"

#include <sstream>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tintype {
namespace {

using testing::Each;
using testing::ElementsAre;

TEST(Shape, CountsElementsRowsAndColumns) {
  const Shape shape{2, 3, 4};
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape.elements(), 24);
  EXPECT_EQ(shape.rows(), 6);
  EXPECT_EQ(shape.cols(), 4);
  EXPECT_EQ(Shape{}.elements(), 1);
  EXPECT_EQ(Shape{}.rows(), 1);
  EXPECT_EQ((Shape{0, 4}).elements(), 0);
  EXPECT_EQ((Shape{4, 0}).rows(), 0);
}

TEST(Shape, ComparesRankAndDimensions) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_NE((Shape{2, 3}), (Shape{2, 3, 1}));
  EXPECT_NE((Shape{2, 3}), (Shape{3, 2}));
}

TEST(Shape, PrintsItself) {
  std::ostringstream text;
  text << Shape{2, 4096} << Shape{};
  EXPECT_EQ(text.str(), "[2, 4096][]");
}

TEST(Shape, DenseStridesAreRowMajor) {
  EXPECT_THAT(dense_strides({2, 3, 4}), ElementsAre(12, 4, 1, 0, 0, 0));
}

TEST(Array, StartsAsZerosOfItsType) {
  const Array array({2, 3}, DType::kI64);
  EXPECT_EQ(array.bytes().size(), 48u);
  EXPECT_THAT(array.values<int64_t>(), Each(0));
}

TEST(Array, AddsElementByElement) {
  const Array a({2}, std::vector<float>{1, 2}), b({2}, std::vector<float>{10, 30});
  EXPECT_THAT((a + b).values(), ElementsAre(11, 32));
  EXPECT_THAT((b - a).values(), ElementsAre(9, 28));
  EXPECT_THAT((0.5f * a).values(), ElementsAre(0.5f, 1));
}

}  // namespace
}  // namespace tintype
