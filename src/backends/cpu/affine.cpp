#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/affine.cpp"
#include "backends/cpu/kernel_list.h"
#include "backends/cpu/pointwise_simd.h"
#include "base/parallel.h"

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {

struct Affine {
  HWY_INLINE FloatVec operator()(FloatVec x) const { return hn::MulAdd(scale, x, offset); }
  FloatVec scale, offset;
};

template <class T>
void affine_row(const AffineAttrs& attrs, const std::byte* in, std::byte* out, Dim n) {
  const Affine affine{hn::Set(Floats(), attrs.scale), hn::Set(Floats(), attrs.offset)};
  map_row(affine, n, reinterpret_cast<T*>(out), Each<T>(in));
}

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tintype::cpu {
namespace {

struct AffineRun final : Prepared {
  AffineRun(const NodeView& node, const DeviceFacts& facts)
      : attrs(node.node.attr<AffineAttrs>()),
        walk(node.out[0].shape, std::array{node.in[0], node.out[0]}),
        row(node.out_dtype() == DType::kBF16 ? TINTYPE_FOR_ISA(facts.isa, affine_row<BF16>)
                                             : TINTYPE_FOR_ISA(facts.isa, affine_row<float>)) {}

  void run(const Buffers& b) const noexcept override {
    const View &x = b.in[0], &out = b.out[0];
    const auto size = static_cast<Dim>(size_of(out.dtype));
    parallel_ranges(walk.pieces(), walk.grain(), [&](Dim begin, Dim end) {
      walk.visit(begin, end, [&](const Walk::Offsets& at, Dim n) {
        row(attrs, x.data + at[0] * size, out.data + at[1] * size, n);
      });
    });
  }

  AffineAttrs attrs;
  Walk walk;
  void (*row)(const AffineAttrs&, const std::byte*, std::byte*, Dim);
};

}  // namespace

const Kernel kAffine{
    .id = "cpu.affine",
    .op = Op::kAffine,
    .needs = kPointwiseNeeds,
    .prepare = prepare<AffineRun>,
};

}  // namespace tintype::cpu
#endif
