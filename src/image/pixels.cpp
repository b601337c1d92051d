#include "image/pixels.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace tintype {

Pixels to_pixels(const Array& image) {
  const Shape& shape = image.shape();
  const int rank = shape.rank();
  check(image.dtype() == DType::kF32 && (rank == 3 || (rank == 4 && shape[0] == 1)) &&
            shape[rank - 3] == 3,
        ErrorCode::kUsage, "a picture needs an f32 tensor [3, H, W], got ", image.dtype(), " ",
        shape);
  Pixels pixels;
  pixels.height = static_cast<int>(shape[rank - 2]);
  pixels.width = static_cast<int>(shape[rank - 1]);
  const std::span<const float> values = image.values();
  const size_t plane = values.size() / 3;
  pixels.rgb.resize(values.size());
  for (size_t i = 0; i < plane; ++i) {
    for (size_t c = 0; c < 3; ++c) {
      const float y = std::clamp(values[c * plane + i], -1.0f, 1.0f);
      pixels.rgb[3 * i + c] = static_cast<uint8_t>(std::lrint((y + 1.0f) * 127.5f));
    }
  }
  return pixels;
}

Array to_array(const Pixels& pixels) {
  Array image({1, 3, pixels.height, pixels.width});
  const std::span<float> values = image.values();
  const size_t plane = values.size() / 3;
  for (size_t i = 0; i < plane; ++i) {
    for (size_t c = 0; c < 3; ++c) {
      values[c * plane + i] = static_cast<float>(pixels.rgb[3 * i + c]) / 127.5f - 1.0f;
    }
  }
  return image;
}

}  // namespace tintype
