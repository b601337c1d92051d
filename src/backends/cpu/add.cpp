#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/add.cpp"
#include "backends/cpu/kernel_list.h"
#include "backends/cpu/pointwise_simd.h"

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {

struct Add {
  HWY_INLINE FloatVec operator()(FloatVec a, FloatVec b) const { return hn::Add(a, b); }
};

RowFunction add_row(const NodeView& node, const Walk& walk) { return binary<Add>(node, walk); }

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tintype::cpu {
namespace {

struct AddRun final : Pointwise {
  AddRun(const NodeView& node, const DeviceFacts& facts)
      : Pointwise(node, TINTYPE_FOR_ISA(facts.isa, add_row)) {}
};

}  // namespace

const Kernel kAdd{
    .id = "cpu.add",
    .op = Op::kAdd,
    .needs = kPointwiseNeeds,
    .prepare = prepare<AddRun>,
};

}  // namespace tintype::cpu
#endif
