// BlockFormat: rows of a weight that is stored as blocks of consecutive elements.
//
// Blocks usually divide a row. They need not: ComfyUI-GGUF flattens convolutions, so that blocks
// run across kernel positions and rows (comfy.gguf.orig_shape).
#include <algorithm>
#include <array>

#include "base/error.h"
#include "formats/formats.h"

namespace tintype {
namespace {

constexpr Dim kMaxValues = 256;  // per block, over all formats

}  // namespace

void BlockFormat::decode_rows(const Parameter& p, Dim first, Dim count, float* out) const {
  const Dim values = codec_.values;
  TINTYPE_ASSERT(values <= kMaxValues);
  const auto block = [&](Dim i) {
    return p.parts[0].bytes.data() + static_cast<size_t>(i) * codec_.bytes;
  };
  Dim at = first * p.cols();
  const Dim end = at + count * p.cols();
  std::array<float, kMaxValues> edge;  // a block that the range holds in part

  while (at < end) {
    const Dim skip = at % values;
    if (skip == 0 && end - at >= values) {
      const Dim whole = (end - at) / values;
      codec_.decode(block(at / values), whole, out);
      at += whole * values;
      out += whole * values;
    } else {
      codec_.decode(block(at / values), 1, edge.data());
      const Dim n = std::min(values - skip, end - at);
      out = std::copy_n(edge.data() + skip, n, out);
      at += n;
    }
  }
}

}  // namespace tintype
