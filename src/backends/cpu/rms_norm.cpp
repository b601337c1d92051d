// x / sqrt(mean(x^2) + eps) * scale of each row.
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/rms_norm.cpp"
#include "backends/cpu/kernel_list.h"
#include "backends/cpu/pointwise_simd.h"
#include "backends/cpu/sum_simd.h"

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {

struct Square {
  HWY_INLINE FloatVec operator()(FloatVec x) const { return hn::Mul(x, x); }
};

struct Scale {
  HWY_INLINE FloatVec operator()(FloatVec x, FloatVec scale) const {
    return hn::Mul(hn::Mul(x, factor), scale);
  }
  FloatVec factor;
};

// Operands: x, the scale, the output.
template <class T>
void rms_norm_row(std::byte* const* operands, Dim n, float eps) {
  const T* const x = reinterpret_cast<const T*>(operands[0]);
  const float mean = sum_row(Square(), x, n) / static_cast<float>(n);
  const Scale scale{hn::Set(Floats(), 1.0f / std::sqrt(mean + eps))};
  map_row(scale, n, reinterpret_cast<T*>(operands[2]), Each<T>(operands[0]),
          Each<float>(operands[1]));
}

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tintype::cpu {
namespace {

class RmsNorm final : public Prepared {
 public:
  RmsNorm(const NodeView& node, const DeviceFacts& facts)
      : walk_(walk_of(node, Walk::Rows::kLastAxis)),
        row_(node.in_dtype(0) == DType::kBF16 ? TINTYPE_FOR_ISA(facts.isa, rms_norm_row<BF16>)
                                              : TINTYPE_FOR_ISA(facts.isa, rms_norm_row<float>)),
        eps_(node.node.attr<NormAttrs>().eps) {}

  void run(const Buffers& b) const noexcept override {
    parallel_walk(walk_, b, [&](const auto& operands, Dim n) { row_(operands.data(), n, eps_); });
  }

 private:
  Walk walk_;
  void (*row_)(std::byte* const*, Dim, float);
  float eps_;
};

}  // namespace

const Kernel kRmsNorm{
    .id = "cpu.rms_norm",
    .op = Op::kRmsNorm,
    .needs = kPointwiseNeeds,
    .prepare = prepare<RmsNorm>,
};

}  // namespace tintype::cpu
#endif
