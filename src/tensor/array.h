// A dense host tensor that owns its memory: what goes into a graph and comes out of it, and what a
// sampler computes with.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace tintype {

class Array {
 public:
  Array() = default;
  explicit Array(Shape shape, DType dtype = DType::kF32);  // zeros
  Array(Shape shape, std::span<const float> values);

  const Shape& shape() const { return shape_; }
  DType dtype() const { return dtype_; }
  Dim elements() const { return shape_.elements(); }
  std::span<const std::byte> bytes() const { return bytes_; }
  std::span<std::byte> bytes() { return bytes_; }

  // The elements; T must be the C++ type of dtype().
  template <class T = float>
  std::span<T> values() {
    return {reinterpret_cast<T*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }
  template <class T = float>
  std::span<const T> values() const {
    return {reinterpret_cast<const T*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }
  float& operator[](Dim i) { return values()[static_cast<size_t>(i)]; }
  float operator[](Dim i) const { return values()[static_cast<size_t>(i)]; }

 private:
  Shape shape_;
  DType dtype_ = DType::kF32;
  std::vector<std::byte> bytes_;
};

using NamedArrays = std::map<std::string, Array>;

// Element by element, f32, equal shapes.
Array operator+(const Array& a, const Array& b);
Array operator-(const Array& a, const Array& b);
Array operator*(float factor, const Array& a);

}  // namespace tintype
