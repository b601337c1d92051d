// The family of one-argument functions: silu, gelu_tanh, gelu_erf, quick_gelu.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/activations.cpp"
#include "backends/cpu/kernel_list.h"
#include "backends/cpu/math_simd.h"
#include "backends/cpu/pointwise_simd.h"

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {

struct Silu {
  HWY_INLINE FloatVec operator()(FloatVec x) const { return hn::Mul(x, sigmoid(x)); }
};

// (1 + tanh(u)) / 2 is sigmoid(2u), which has no cancellation.
struct GeluTanh {
  HWY_INLINE FloatVec operator()(FloatVec x) const {
    constexpr double kTwiceRoot = 1.5957691216057308;  // 2 sqrt(2/pi)
    const FloatVec linear = hn::Set(Floats(), static_cast<float>(kTwiceRoot));
    const FloatVec cubic = hn::Set(Floats(), static_cast<float>(kTwiceRoot * 0.044715));
    return hn::Mul(x, sigmoid(hn::Mul(x, hn::MulAdd(cubic, hn::Mul(x, x), linear))));
  }
};

struct GeluErf {
  HWY_INLINE FloatVec operator()(FloatVec x) const {
    const FloatVec half = hn::Mul(x, hn::Set(Floats(), 0.5f));
    const FloatVec root_half = hn::Set(Floats(), 0.70710678f);
    return hn::MulAdd(half, erf(hn::Mul(x, root_half)), half);
  }
};

struct QuickGelu {
  HWY_INLINE FloatVec operator()(FloatVec x) const {
    return hn::Mul(x, sigmoid(hn::Mul(x, hn::Set(Floats(), 1.702f))));
  }
};

RowFunction silu_row(const NodeView& node, const Walk& walk) { return unary<Silu>(node, walk); }
RowFunction gelu_tanh_row(const NodeView& node, const Walk& walk) {
  return unary<GeluTanh>(node, walk);
}
RowFunction gelu_erf_row(const NodeView& node, const Walk& walk) {
  return unary<GeluErf>(node, walk);
}
RowFunction quick_gelu_row(const NodeView& node, const Walk& walk) {
  return unary<QuickGelu>(node, walk);
}

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tintype::cpu {
namespace {

template <Pointwise::Choose avx2, Pointwise::Choose avx512>
std::unique_ptr<Prepared> prepare_activation(const NodeView& node, const DeviceFacts& facts) {
  return std::make_unique<Pointwise>(node, facts.isa == Isa::kAvx512 ? avx512 : avx2);
}

}  // namespace

const Kernel kSilu{"cpu.silu", Op::kSilu, kPointwiseNeeds,
                   prepare_activation<N_AVX2::silu_row, N_AVX3::silu_row>};
const Kernel kGeluTanh{"cpu.gelu_tanh", Op::kGeluTanh, kPointwiseNeeds,
                       prepare_activation<N_AVX2::gelu_tanh_row, N_AVX3::gelu_tanh_row>};
const Kernel kGeluErf{"cpu.gelu_erf", Op::kGeluErf, kPointwiseNeeds,
                      prepare_activation<N_AVX2::gelu_erf_row, N_AVX3::gelu_erf_row>};
const Kernel kQuickGelu{"cpu.quick_gelu", Op::kQuickGelu, kPointwiseNeeds,
                        prepare_activation<N_AVX2::quick_gelu_row, N_AVX3::quick_gelu_row>};

}  // namespace tintype::cpu
#endif
