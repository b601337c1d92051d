#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/mul.cpp"
#include "backends/cpu/kernel_list.h"
#include "backends/cpu/pointwise_simd.h"

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {

struct Mul {
  HWY_INLINE FloatVec operator()(FloatVec a, FloatVec b) const { return hn::Mul(a, b); }
};

RowFunction mul_row(const NodeView& node, const Walk& walk) { return binary<Mul>(node, walk); }

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tintype::cpu {
namespace {

struct MulRun final : Pointwise {
  MulRun(const NodeView& node, const DeviceFacts& facts)
      : Pointwise(node, TINTYPE_FOR_ISA(facts.isa, mul_row)) {}
};

}  // namespace

const Kernel kMul{
    .id = "cpu.mul",
    .op = Op::kMul,
    .needs = kPointwiseNeeds,
    .prepare = prepare<MulRun>,
};

}  // namespace tintype::cpu
#endif
