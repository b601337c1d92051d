// Images as sequences of square patches, as transformers see them.
#pragma once

#include "graph/ops.h"

namespace tintype {

// [B, h, w, C] with height and width made multiples of `patch` by wrapping around, as ComfyUI does.
Tensor pad_by_wrapping(Tensor x, Dim patch);
// [B, h, w, C] -> [B, h/p * w/p, C*p*p]: a patch is laid out as (channel, row, column).
Tensor patchify(Tensor x, Dim patch);
// The way back, to an image of h x w.
Tensor unpatchify(Tensor x, Dim patch, Dim h, Dim w);

}  // namespace tintype
