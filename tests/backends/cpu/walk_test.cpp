#include "backends/cpu/walk.h"

#include <vector>

#include <gtest/gtest.h>

namespace tintype::cpu {
namespace {

Layout padded(const Shape& shape, Dim gap) {
  Layout layout = Layout::dense(shape);
  for (int a = 0; a + 1 < shape.rank(); ++a) layout.strides[static_cast<size_t>(a)] += gap;
  return layout;
}

Dim rows_visited(const Walk& walk) {
  Dim rows = 0;
  walk.visit(0, walk.pieces(), [&](const Walk::Offsets&, Dim) { ++rows; });
  return rows;
}

TEST(Walk, DenseOperandsAreOneRow) {
  const Layout dense = Layout::dense({2, 3, 4, 5});
  const Walk walk({2, 3, 4, 5}, std::array{dense, dense});
  EXPECT_EQ(walk.cols(), 120);
  EXPECT_EQ(rows_visited(walk), 1);
}

TEST(Walk, RepeatsWhatIsStretched) {
  const Walk walk({2, 3, 4}, std::array{Layout::dense({2, 3, 4}), Layout::dense({2, 3, 1}),
                                        Layout::dense({4})});
  EXPECT_EQ(walk.cols(), 4);
  EXPECT_FALSE(walk.repeats(0));
  EXPECT_TRUE(walk.repeats(1));
  EXPECT_FALSE(walk.repeats(2));
}

TEST(Walk, CutsLongRows) {
  const Layout dense = Layout::dense({3, 10000});
  const Walk walk({3, 10000}, std::array{dense});
  std::vector<int> seen(30000);
  walk.visit(0, walk.pieces(), [&](const Walk::Offsets& at, Dim n) {
    EXPECT_LE(n, 4096);
    for (Dim i = 0; i < n; ++i) ++seen[static_cast<size_t>(at[0] + i)];
  });
  EXPECT_EQ(std::ranges::count(seen, 1), 30000);
}

// Every element of every operand is met once, in any split of the pieces.
TEST(Walk, MeetsEveryElementOnce) {
  const Shape shape{2, 3, 4, 5};
  const Layout a = padded(shape, 7), b = Layout::dense({3, 1, 5});
  const Walk walk(shape, std::array{a, b});
  std::vector<std::pair<Dim, Dim>> want, got;
  for (Dim i = 0; i < 2; ++i)
    for (Dim j = 0; j < 3; ++j)
      for (Dim k = 0; k < 4; ++k)
        for (Dim l = 0; l < 5; ++l)
          want.push_back({i * a.strides[0] + j * a.strides[1] + k * a.strides[2] + l, j * 5 + l});
  for (Dim piece = 0; piece < walk.pieces(); ++piece)
    walk.visit(piece, piece + 1, [&](const Walk::Offsets& at, Dim n) {
      for (Dim l = 0; l < n; ++l) got.push_back({at[0] + l, at[1] + l});
    });
  EXPECT_EQ(got, want);
}

TEST(Walk, TakesGapsAlongTheLastAxis) {
  const Layout gaps{{3, 1}, {8, 1}};
  const Walk walk({3, 1}, std::array{gaps, Layout::dense({3, 1})});
  std::vector<Dim> starts;
  walk.visit(0, walk.pieces(), [&](const Walk::Offsets& at, Dim n) {
    EXPECT_EQ(n, 1);
    starts.push_back(at[0]);
  });
  EXPECT_EQ(starts, (std::vector<Dim>{0, 8, 16}));
}

TEST(Walk, TakesSingleElements) {
  const Walk walk({}, std::array{Layout::dense({})});
  EXPECT_EQ(walk.pieces(), 1);
  EXPECT_EQ(walk.cols(), 1);
}

}  // namespace
}  // namespace tintype::cpu
