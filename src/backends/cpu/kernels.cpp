#include "backends/cpu/kernels.h"

#include "backends/cpu/kernel_list.h"

namespace tintype {
namespace cpu {
namespace {

// Best first: lowering takes the first whose needs are met.
constexpr const Kernel* kTable[] = {
    // movement
    &kCopy,
    &kConcat,
    &kTakeRows,
    &kArgmax,
    &kUpsample,
    &kWeight,
    &kEmbedding,
    // element by element
    &kAdd,
    &kMul,
    &kGatedAdd,
    &kAffine,
    &kSilu,
    &kGeluTanh,
    &kGeluErf,
    &kQuickGelu,
    // positions
    &kSinusoid,
    &kRopeTable,
    // rows: norms and quantise_rows
    &kLayerNorm,
    &kRmsNorm,
    &kGroupNorm,
    &kQuantiseRows,
    // products: linear, int8_linear, conv2d, attend, rope
    &kLinearRows,
    &kLinearF32,
    &kLinearBF16,
    &kLinearPanel,
    &kInt8LinearRows,
    &kInt8Linear,
    &kInt8LinearExact,
    &kConv2d,
    &kAttend,
    &kRope,
};

}  // namespace
}  // namespace cpu

const Backend& cpu_backend() {
  static constexpr Backend kBackend{"cpu", cpu::kTable};
  return kBackend;
}

}  // namespace tintype
