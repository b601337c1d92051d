// INT8: one signed byte a weight and an f32 scale, for the tensor or for each row.
//
//   weight = code * scale
//
// With Parameter::rotation (ConvRot) the codes hold the matrix after its input axis was rotated by
// groups (formats/hadamard.h); decoding rotates back. For a convolution [O, I, kh, kw] the input
// axis is I, at each kernel position apart; one scale covers I * kh * kw codes.
//
// Half a step of row maximum / 127: 1/254 of the largest (rotated) weight of the row.
#include "formats/formats.h"
#include "formats/hadamard.h"
#include "formats/scaled_rows.h"

namespace tintype {

void Int8Format::decode_rows(const Parameter& p, Dim first, Dim count, float* out) const {
  const Int8View view = int8_view(p);
  const Dim cols = p.cols(), inputs = p.shape.rank() < 2 ? cols : p.shape[1];
  const Dim positions = cols / inputs;  // of a convolution's kernel
  for (Dim row = first; row < first + count; ++row, out += cols) {
    const int8_t* codes = view.codes + row * cols;
    const float scale = view.scales[view.per_row ? row : 0];
    for (Dim c = 0; c < cols; ++c) out[c] = static_cast<float>(codes[c]) * scale;
    if (view.rotation == 0) continue;
    for (Dim k = 0; k < inputs; k += view.rotation)
      for (Dim at = 0; at < positions; ++at)
        rotate_group(out + k * positions + at, view.rotation, positions);
  }
}

// Convolutions, and layers whose file asks for full precision, see plain floats.
ActivationCodes Int8Format::activation(const Parameter& p) const {
  return p.shape.rank() == 2 && !p.weight_only ? ActivationCodes::kInt8Rows
                                               : ActivationCodes::kNone;
}

Int8View int8_view(const Parameter& p) {
  return {.codes = reinterpret_cast<const int8_t*>(p.parts[0].bytes.data()),
          .scales = scales(p),
          .per_row = has_row_scales(p),
          .rotation = p.rotation};
}

constinit const Int8Format kInt8;

}  // namespace tintype
