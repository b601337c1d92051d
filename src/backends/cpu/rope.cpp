// Rotates the pairs of neighbours of each head by the angles of their position.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/rope.cpp"
#include "backends/cpu/kernel_list.h"
#include "backends/cpu/pointwise_simd.h"

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {

// x = (a, b) turns by the angle of table = (cos, sin) into (a cos - b sin, b cos + a sin).
struct Rotate {
  HWY_INLINE FloatVec operator()(FloatVec x, FloatVec table) const {
    const FloatVec turned = hn::Mul(hn::Shuffle2301(x), hn::DupOdd(table));
    const FloatVec cosine = hn::DupEven(table);
    return hn::OddEven(hn::MulAdd(x, cosine, turned), hn::MulSub(x, cosine, turned));
  }
};

RowFunction rope_row(DType type) {
  return type == DType::kBF16 ? binary_row<Rotate, BF16, Each<BF16>, Each<float>>
                              : binary_row<Rotate, float, Each<float>, Each<float>>;
}

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tintype::cpu {
namespace {

// [B, S, H, D] as [B, S, H, D/2, 2], and the table [S, D/2, 2] as [S, 1, D/2, 2]: it is the same
// for all heads. Rows have whole pairs, because the last axis never is a row of its own that is
// cut.
Walk rope_walk(const NodeView& node) {
  const Shape& x = node.in[0].shape;
  const Shape pairs{x[0], x[1], x[2], x[3] / 2, 2};
  const std::array layouts{*reshaped(node.in[0], pairs),
                           *reshaped(node.in[1], {x[1], 1, x[3] / 2, 2}),
                           *reshaped(node.out[0], pairs)};
  return {pairs, layouts};
}

struct Rope final : Pointwise {
  Rope(const NodeView& node, const DeviceFacts& facts)
      : Pointwise(rope_walk(node), TINTYPE_FOR_ISA(facts.isa, rope_row)(node.in_dtype(0))) {}
};

}  // namespace

const Kernel kRope{
    .id = "cpu.rope",
    .op = Op::kRope,
    .needs = kPointwiseNeeds,
    .prepare = prepare<Rope>,
};

}  // namespace tintype::cpu
#endif
