#include "tensor/shape.h"

#include <ostream>

#include "base/error.h"

namespace tintype {

Shape::Shape(std::initializer_list<Dim> dims) : Shape(std::span(dims.begin(), dims.size())) {}

Shape::Shape(std::span<const Dim> dims) : rank_(static_cast<int>(dims.size())) {
  TINTYPE_ASSERT(rank_ <= kMaxRank);
  for (size_t i = 0; i < dims.size(); ++i) dims_[i] = dims[i];
}

Dim Shape::elements() const {
  Dim product = 1;
  for (Dim d : dims()) product *= d;
  return product;
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  out << '[';
  for (int i = 0; i < shape.rank(); ++i) out << (i ? ", " : "") << shape[i];
  return out << ']';
}

Strides dense_strides(const Shape& shape) {
  Strides strides{};
  Dim step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[static_cast<size_t>(i)] = step;
    step *= shape[i];
  }
  return strides;
}

}  // namespace tintype
