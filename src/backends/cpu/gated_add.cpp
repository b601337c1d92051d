#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/gated_add.cpp"
#include "backends/cpu/kernel_list.h"
#include "backends/cpu/pointwise_simd.h"

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {

struct GatedAdd {
  HWY_INLINE FloatVec operator()(FloatVec x, FloatVec gate, FloatVec y) const {
    return hn::MulAdd(gate, y, x);
  }
};

template <class T, class Gate>
void gated_add_of(std::byte* const* operands, Dim n) {
  map_row(GatedAdd(), n, reinterpret_cast<T*>(operands[3]), Each<T>(operands[0]), Gate(operands[1]),
          Each<T>(operands[2]));
}

template <class T, class G>
RowFunction gated_add_by(bool repeats) {
  return repeats ? gated_add_of<T, Same<G>> : gated_add_of<T, Each<G>>;
}

template <class T>
RowFunction gated_add_to(const NodeView& node, const Walk& walk) {
  return node.in_dtype(1) == DType::kBF16 ? gated_add_by<T, BF16>(walk.repeats(1))
                                          : gated_add_by<T, float>(walk.repeats(1));
}

RowFunction gated_add_row(const NodeView& node, const Walk& walk) {
  return node.out_dtype() == DType::kBF16 ? gated_add_to<BF16>(node, walk)
                                          : gated_add_to<float>(node, walk);
}

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tintype::cpu {
namespace {

struct GatedAddRun final : Pointwise {
  GatedAddRun(const NodeView& node, const DeviceFacts& facts)
      : Pointwise(node, TINTYPE_FOR_ISA(facts.isa, gated_add_row)) {}
};

}  // namespace

const Kernel kGatedAdd{
    .id = "cpu.gated_add",
    .op = Op::kGatedAdd,
    .needs = kPointwiseNeeds,
    .prepare = prepare<GatedAddRun>,
};

}  // namespace tintype::cpu
#endif
