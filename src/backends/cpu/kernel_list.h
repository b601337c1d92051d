// Every kernel of the CPU backend; the table in kernels.cpp puts them in order. Each one is defined
// in the file of its name.
#pragma once

#include "graph/kernel.h"

namespace tintype::cpu {

// movement
extern const Kernel kCopy, kConcat, kTakeRows, kArgmax, kUpsample;
extern const Kernel kWeight, kEmbedding;

// element by element
extern const Kernel kAdd, kMul, kGatedAdd, kAffine;
extern const Kernel kSilu, kGeluTanh, kGeluErf, kQuickGelu;

// positions
extern const Kernel kSinusoid, kRopeTable;

// rows: norms and quantise_rows
extern const Kernel kLayerNorm, kRmsNorm, kGroupNorm;
extern const Kernel kQuantiseRows;

// products: linear, int8_linear, conv2d, attend, rope
extern const Kernel kLinearRows, kLinearF32, kLinearBF16, kLinearPanel;
extern const Kernel kInt8LinearRows, kInt8Linear, kInt8LinearExact;
extern const Kernel kConv2d;
extern const Kernel kAttend, kRope;

}  // namespace tintype::cpu
