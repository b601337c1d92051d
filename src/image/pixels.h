// From what a decoder computes to what a picture file holds.
#pragma once

#include "tensor/array.h"
#include "tintype/image.h"

namespace tintype {

// `image` is [3, H, W] or [1, 3, H, W], f32, and meant to be in -1..1: values outside are clamped.
// Rounds (y + 1) * 127.5 to nearest, ties to even.
Pixels to_pixels(const Array& image);

// The other way: [1, 3, H, W].
Array to_array(const Pixels& pixels);

}  // namespace tintype
