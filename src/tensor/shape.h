// Sizes of a tensor, outermost axis first.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>

namespace tintype {

using Dim = int64_t;
inline constexpr int kMaxRank = 6;
using Strides = std::array<Dim, kMaxRank>;  // in elements; entries beyond the rank are 0

class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<Dim> dims);
  explicit Shape(std::span<const Dim> dims);

  int rank() const { return rank_; }
  Dim operator[](int axis) const { return dims_[static_cast<size_t>(axis)]; }
  Dim& operator[](int axis) { return dims_[static_cast<size_t>(axis)]; }
  std::span<const Dim> dims() const { return {dims_.data(), static_cast<size_t>(rank_)}; }
  Dim elements() const;
  Dim cols() const { return rank_ == 0 ? 1 : dims_[static_cast<size_t>(rank_ - 1)]; }
  Dim rows() const { return cols() == 0 ? 0 : elements() / cols(); }
  bool operator==(const Shape& other) const = default;

 private:
  std::array<Dim, kMaxRank> dims_{};  // entries beyond the rank stay 0
  int rank_ = 0;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape);  // [2, 4096]

// Strides of a row-major array without gaps.
Strides dense_strides(const Shape& shape);

}  // namespace tintype
