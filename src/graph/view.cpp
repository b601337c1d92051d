#include "graph/view.h"

#include <array>

namespace tintype {
namespace {

struct Run {
  Dim length, stride;
};

struct Runs {
  std::array<Run, kMaxRank> list{};
  size_t count = 0;

  const Run& last() const { return list[count - 1]; }
};

// The axes longer than 1, neighbours merged where one stride walks both.
Runs merged_axes(const Layout& layout, int axes) {
  Runs runs;
  for (int i = 0; i < axes; ++i) {
    const Dim length = layout.shape[i], stride = layout.strides[static_cast<size_t>(i)];
    if (length == 1) continue;
    if (runs.count > 0 && runs.last().stride == stride * length)
      runs.list[runs.count - 1] = {runs.last().length * length, stride};
    else
      runs.list[runs.count++] = {length, stride};
  }
  return runs;
}

}  // namespace

bool Layout::is_dense() const {
  Dim step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    if (shape[i] != 1 && strides[static_cast<size_t>(i)] != step) return false;
    step *= shape[i];
  }
  return true;
}

bool Layout::has_dense_last() const {
  const int last = shape.rank() - 1;
  return last < 0 || shape[last] == 1 || strides[static_cast<size_t>(last)] == 1;
}

bool Layout::is_matrix() const {
  return has_dense_last() && merged_axes(*this, shape.rank() - 1).count <= 1;
}

Dim Layout::row_stride() const {
  const Runs runs = merged_axes(*this, shape.rank() - 1);
  return runs.count == 0 ? shape.cols() : runs.last().stride;
}

std::optional<Layout> reshaped(const Layout& layout, const Shape& shape) {
  const Runs runs = merged_axes(layout, layout.shape.rank());
  Layout out{shape, {}};
  // New axes are cut, innermost first, from the innermost run that is left.
  size_t run = runs.count;
  Dim left = 1, stride = 1;  // of the run being cut: elements not yet given out, next stride
  for (int i = shape.rank() - 1; i >= 0; --i) {
    out.strides[static_cast<size_t>(i)] = left == 1 && run > 0 ? runs.list[run - 1].stride : stride;
    if (shape[i] == 1) continue;
    if (left == 1) {
      if (run == 0) return std::nullopt;
      --run;
      left = runs.list[run].length;
      stride = runs.list[run].stride;
    }
    if (left % shape[i] != 0) return std::nullopt;
    out.strides[static_cast<size_t>(i)] = stride;
    left /= shape[i];
    stride *= shape[i];
  }
  return left == 1 && run == 0 ? std::optional(out) : std::nullopt;
}

Layout permuted(const Layout& layout, std::span<const int> axes) {
  Layout out = layout;
  for (size_t i = 0; i < axes.size(); ++i) {
    out.shape[static_cast<int>(i)] = layout.shape[axes[i]];
    out.strides[i] = layout.strides[static_cast<size_t>(axes[i])];
  }
  return out;
}

}  // namespace tintype
