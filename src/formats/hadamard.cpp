#include "formats/hadamard.h"

#include "base/error.h"

namespace tintype {

// One radix-4 stage per power of four. With t = (a + b + c + d) / 2, H4 · (a, b, c, d) / 2
// is t - d, t - c, t - b, t - a; the halves of all stages make the 1/√group.
void rotate_group(float* x, Dim group, Dim stride) {
  for (Dim step = 1; step < group; step *= 4) {
    const Dim apart = step * stride;
    for (Dim block = 0; block < group; block += 4 * step) {
      for (Dim i = block; i < block + step; ++i) {
        float* p = x + i * stride;
        const float a = p[0], b = p[apart], c = p[2 * apart], d = p[3 * apart];
        const float t = 0.5f * ((a + b) + (c + d));
        p[0] = t - d;
        p[apart] = t - c;
        p[2 * apart] = t - b;
        p[3 * apart] = t - a;
      }
    }
  }
}

void rotate_row(float* row, Dim cols, Dim group) {
  TINTYPE_ASSERT(is_rotation_group(group) && cols % group == 0);
  for (Dim k = 0; k < cols; k += group) rotate_group(row + k, group);
}

}  // namespace tintype
