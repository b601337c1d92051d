#include "backends/reference/element.h"

#include <bit>
#include <cmath>

namespace tintype::reference {
namespace {

// Going through float rounds twice, which matters where the first rounding makes a tie.
BF16 to_bf16(double value) {
  float near = static_cast<float>(value);
  const bool tie = (std::bit_cast<uint32_t>(near) & 0xffff) == 0x8000;
  if (tie && near != value) near = std::nextafter(near, value > near ? INFINITY : -INFINITY);
  return BF16(near);
}

}  // namespace

double load(const View& view, Dim offset) {
  switch (view.dtype) {
    case DType::kF32:
      return view.as<float>()[offset];
    case DType::kBF16:
      return static_cast<float>(view.as<BF16>()[offset]);
    case DType::kI8:
      return view.as<int8_t>()[offset];
    case DType::kI32:
      return view.as<int32_t>()[offset];
    case DType::kI64:
      return static_cast<double>(view.as<int64_t>()[offset]);
  }
  return 0;
}

void store(const View& view, Dim offset, double value) {
  switch (view.dtype) {
    case DType::kF32:
      view.as<float>()[offset] = static_cast<float>(value);
      break;
    case DType::kBF16:
      view.as<BF16>()[offset] = to_bf16(value);
      break;
    case DType::kI8:
      view.as<int8_t>()[offset] = static_cast<int8_t>(value);
      break;
    case DType::kI32:
      view.as<int32_t>()[offset] = static_cast<int32_t>(value);
      break;
    case DType::kI64:
      view.as<int64_t>()[offset] = static_cast<int64_t>(value);
      break;
  }
}

Dim offset_of(const View& view, const Shape& shape, const Index& index) {
  const int rank = view.shape().rank();
  const Dim* own = index.data() + (shape.rank() - rank);
  Dim offset = 0;
  for (int axis = 0; axis < rank; ++axis)
    if (view.dim(axis) != 1) offset += own[axis] * view.stride(axis);
  return offset;
}

}  // namespace tintype::reference
