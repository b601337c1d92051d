#include "tensor/array.h"

#include <algorithm>

#include "base/error.h"

namespace tintype {
namespace {

template <class F>
Array zip(const Array& a, const Array& b, F f) {
  TINTYPE_ASSERT(a.shape() == b.shape());
  Array out(a.shape());
  std::ranges::transform(a.values(), b.values(), out.values().begin(), f);
  return out;
}

}  // namespace

Array::Array(Shape shape, DType dtype)
    : shape_(shape),
      dtype_(dtype),
      bytes_(static_cast<size_t>(shape.elements()) * size_of(dtype)) {}

Array::Array(Shape shape, std::span<const float> values) : Array(shape) {
  TINTYPE_ASSERT(static_cast<Dim>(values.size()) == elements());
  std::ranges::copy(values, this->values().begin());
}

Array operator+(const Array& a, const Array& b) {
  return zip(a, b, [](float x, float y) { return x + y; });
}

Array operator-(const Array& a, const Array& b) {
  return zip(a, b, [](float x, float y) { return x - y; });
}

Array operator*(float factor, const Array& a) {
  Array out(a.shape());
  std::ranges::transform(a.values(), out.values().begin(), [&](float x) { return factor * x; });
  return out;
}

}  // namespace tintype
