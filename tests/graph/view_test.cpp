#include "graph/view.h"

#include <gtest/gtest.h>

namespace tintype {
namespace {

TEST(Layout, KnowsDenseMatrixAndRows) {
  const Layout dense = Layout::dense({2, 3, 4});
  EXPECT_TRUE(dense.is_dense() && dense.is_matrix() && dense.has_dense_last());
  EXPECT_EQ(dense.row_stride(), 4);

  Layout padded = dense;  // rows of 4 in a buffer of rows of 7
  padded.strides = {21, 7, 1};
  EXPECT_FALSE(padded.is_dense());
  EXPECT_TRUE(padded.is_matrix());
  EXPECT_EQ(padded.row_stride(), 7);

  Layout part = dense;  // rows 0..2 of a [2, 5, 4] buffer
  part.strides = {20, 4, 1};
  EXPECT_FALSE(part.is_matrix());
  EXPECT_TRUE(part.has_dense_last());

  EXPECT_FALSE(permuted(dense, std::array{0, 2, 1}).has_dense_last());
}

TEST(Layout, AxesOfLengthOneDoNotCount) {
  Layout l = Layout::dense({1, 5, 1});
  l.strides = {99, 1, 77};
  EXPECT_TRUE(l.is_dense());
}

TEST(Layout, ReshapesWhatStridesCanExpress) {
  // heads of the first third of a qkv product: [2, 3, 12] of rows of 36 -> [2, 3, 3, 4]
  const Layout q{{2, 3, 12}, {108, 36, 1}};
  const auto heads = reshaped(q, {2, 3, 3, 4});
  ASSERT_TRUE(heads);
  EXPECT_EQ(heads->strides, (Strides{108, 36, 4, 1}));
  EXPECT_EQ(*reshaped(*heads, q.shape), q);
  // rows and columns of such a part cannot become one axis
  EXPECT_FALSE(reshaped(q, {2, 36}));
  EXPECT_FALSE(reshaped(permuted(Layout::dense({3, 4}), std::array{1, 0}), {12}));
}

TEST(Layout, ReshapesAxesOfLengthOne) {
  const Layout row{{1, 6}, {17, 1}};
  for (const Shape& shape : {Shape{6}, Shape{1, 1, 6}, Shape{2, 1, 3, 1}}) {
    const auto l = reshaped(row, shape);
    ASSERT_TRUE(l);
    EXPECT_TRUE(l->is_dense()) << shape;
  }
  EXPECT_TRUE(reshaped(Layout::dense({1, 1}), {1}));
}

// Walks both layouts element by element: they must name the same memory in the same order.
void expect_same_order(const Layout& a, const Layout& b) {
  const auto offset = [](const Layout& l, Dim index) {
    Dim sum = 0;
    for (int i = l.shape.rank() - 1; i >= 0; --i) {
      sum += index % l.shape[i] * l.strides[static_cast<size_t>(i)];
      index /= l.shape[i];
    }
    return sum;
  };
  ASSERT_EQ(a.shape.elements(), b.shape.elements());
  for (Dim i = 0; i < a.shape.elements(); ++i) ASSERT_EQ(offset(a, i), offset(b, i)) << i;
}

TEST(Layout, ReshapedMeansTheSameElements) {
  const Layout layouts[] = {Layout::dense({4, 6, 8}),
                            {{4, 6, 8}, {100, 8, 1}},
                            {{4, 6, 8}, {400, 50, 1}},
                            {{4, 6, 8}, {1, 32, 4}}};
  const Shape shapes[] = {{192}, {24, 8}, {4, 48}, {2, 2, 6, 8}, {4, 3, 2, 4, 2}, {4, 2, 3, 8}};
  int done = 0;
  for (const Layout& layout : layouts)
    for (const Shape& shape : shapes)
      if (const auto l = reshaped(layout, shape)) {
        expect_same_order(layout, *l);
        ++done;
      }
  EXPECT_GE(done, 12);
}

}  // namespace
}  // namespace tintype
