// Strided views of memory: how a kernel sees its operands.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace tintype {

// How elements lie in a buffer: element i of axis a is i * strides[a] elements further.
struct Layout {
  Shape shape;
  Strides strides{};

  static Layout dense(const Shape& shape) { return {shape, dense_strides(shape)}; }
  bool is_dense() const;        // row-major, no gaps (axes of length 1 do not count)
  bool has_dense_last() const;  // the last axis has stride 1
  // All axes but the last can be walked as one with a single stride (a matrix with a row stride).
  bool is_matrix() const;
  Dim row_stride() const;  // of a matrix, in elements
  bool operator==(const Layout&) const = default;
};

// The layout of the same memory after a view operation; none if strides cannot express it.
std::optional<Layout> reshaped(const Layout& layout, const Shape& shape);
Layout permuted(const Layout& layout, std::span<const int> axes);

// An operand at run time.
struct View {
  std::byte* data = nullptr;
  DType dtype = DType::kF32;
  Layout layout;

  const Shape& shape() const { return layout.shape; }
  Dim dim(int axis) const { return layout.shape[axis < 0 ? axis + layout.shape.rank() : axis]; }
  Dim stride(int axis) const {
    return layout.strides[static_cast<size_t>(axis < 0 ? axis + layout.shape.rank() : axis)];
  }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
};

}  // namespace tintype
