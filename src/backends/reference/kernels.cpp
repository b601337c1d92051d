#include "backends/reference/kernels.h"

namespace tintype {
namespace reference {
namespace {

constexpr const Kernel* kTable[] = {
    &kCopy,      &kConcat,    &kTakeRows, &kArgmax,    &kUpsample,     &kWeight,   &kEmbedding,
    &kAdd,       &kMul,       &kGatedAdd, &kAffine,    &kSilu,         &kGeluTanh, &kGeluErf,
    &kQuickGelu, &kLayerNorm, &kRmsNorm,  &kGroupNorm, &kQuantiseRows, &kLinear,   &kInt8Linear,
    &kConv2d,    &kAttend,    &kSinusoid, &kRopeTable, &kRope,
};

}  // namespace
}  // namespace reference

const Backend& reference_backend() {
  static constexpr Backend kBackend{"reference", reference::kTable};
  return kBackend;
}

}  // namespace tintype
