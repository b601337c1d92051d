#include "image/pixels.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace tintype {
namespace {

TEST(Pixels, InterleavesThePlanes) {
  const Array image({3, 1, 2}, std::vector<float>{-1, 1, -1, 1, 1, -1});
  const Pixels pixels = to_pixels(image);
  EXPECT_EQ(pixels.width, 2);
  EXPECT_EQ(pixels.height, 1);
  EXPECT_EQ(pixels.rgb, (std::vector<uint8_t>{0, 0, 255, 255, 255, 0}));
}

// (y + 1) * 127.5 is 127.5 at 0, and 128.5 a step above: both ties go to the even 128.
TEST(Pixels, RoundsTiesToEvenAndClamps) {
  const Array image({1, 3, 1, 1}, std::vector<float>{0.0f, 1.0f / 127.5f, 1.5f});
  EXPECT_EQ(to_pixels(image).rgb, (std::vector<uint8_t>{128, 128, 255}));
  const Array low({1, 3, 1, 1}, std::vector<float>{-1.5f, -1.0f, -0.996f});
  EXPECT_EQ(to_pixels(low).rgb, (std::vector<uint8_t>{0, 0, 1}));
}

TEST(Pixels, EveryValueComesBack) {
  Pixels pixels{256, 1, {}};
  for (int v = 0; v < 256; ++v) pixels.rgb.insert(pixels.rgb.end(), 3, static_cast<uint8_t>(v));
  const Array image = to_array(pixels);
  EXPECT_EQ(image.shape(), (Shape{1, 3, 1, 256}));
  EXPECT_EQ(to_pixels(image).rgb, pixels.rgb);
}

TEST(Pixels, RefusesOtherShapes) {
  for (const Shape& shape : {Shape{4, 2, 2}, Shape{2, 3, 2, 2}, Shape{3, 2}, Shape{}}) {
    EXPECT_THROW(to_pixels(Array(shape)), Error);
  }
  EXPECT_THROW(to_pixels(Array({3, 2, 2}, DType::kBF16)), Error);
}

}  // namespace
}  // namespace tintype
