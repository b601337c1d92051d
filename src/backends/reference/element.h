// Elements of views of any type and strides, as doubles.
#pragma once

#include <array>

#include "graph/view.h"

namespace tintype::reference {

using Index = std::array<Dim, kMaxRank>;

// The element at `offset`, counted in elements.
double load(const View& view, Dim offset);
// Rounds once, to nearest, ties to even.
void store(const View& view, Dim offset, double value);

// Where element `index` of a value with shape `shape` lies in a view that is stretched to it.
Dim offset_of(const View& view, const Shape& shape, const Index& index);

// Calls f(index) for every element in row-major order.
template <class F>
void for_each_index(const Shape& shape, F&& f) {
  Index index{};
  const Dim count = shape.elements();
  for (Dim n = 0; n < count; ++n) {
    f(index);
    for (auto axis = static_cast<size_t>(shape.rank()); axis-- > 0;) {
      if (++index[axis] < shape[static_cast<int>(axis)]) break;
      index[axis] = 0;
    }
  }
}

// Calls f(index of the first element) for every row.
template <class F>
void for_each_row(const Shape& shape, F&& f) {
  Shape firsts = shape;
  if (shape.rank() > 0) firsts[shape.rank() - 1] = 1;
  for_each_index(firsts, f);
}

}  // namespace tintype::reference
