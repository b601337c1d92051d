// The reference backend: every operation as plain loops in double. The oracle of all kernel tests,
// and a last resort for users.
#pragma once

#include "graph/kernel.h"

namespace tintype {

const Backend& reference_backend();

namespace reference {

extern const Kernel kCopy, kConcat, kTakeRows, kArgmax, kUpsample;
extern const Kernel kWeight, kEmbedding;
extern const Kernel kAdd, kMul, kGatedAdd, kAffine;
extern const Kernel kSilu, kGeluTanh, kGeluErf, kQuickGelu;
extern const Kernel kLayerNorm, kRmsNorm, kGroupNorm, kQuantiseRows;
extern const Kernel kLinear, kInt8Linear, kConv2d, kAttend;
extern const Kernel kSinusoid, kRopeTable, kRope;

}  // namespace reference
}  // namespace tintype
