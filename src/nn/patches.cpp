#include "nn/patches.h"

#include <algorithm>

namespace tintype {

Tensor pad_by_wrapping(Tensor x, Dim patch) {
  for (int axis : {1, 2})
    while (const Dim over = x.dim(axis) % patch)
      x = concat({x, slice(x, axis, 0, std::min(patch - over, x.dim(axis)))}, axis);
  return x;
}

Tensor patchify(Tensor x, Dim patch) {
  const Dim b = x.dim(0), h = x.dim(1) / patch, w = x.dim(2) / patch, c = x.dim(3);
  const Tensor cut = permute(reshape(x, {b, h, patch, w, patch, c}), {0, 1, 3, 5, 2, 4});
  return reshape(cut, {b, h * w, c * patch * patch});
}

Tensor unpatchify(Tensor x, Dim patch, Dim h, Dim w) {
  const Dim b = x.dim(0), c = x.dim(2) / (patch * patch);
  const Tensor cut = reshape(x, {b, h / patch, w / patch, c, patch, patch});
  return reshape(permute(cut, {0, 1, 4, 2, 5, 3}), {b, h, w, c});
}

}  // namespace tintype
