// (x - mean) / sqrt(variance + eps) of each row; then * scale + shift, if they are given.
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/layer_norm.cpp"
#include "backends/cpu/kernel_list.h"
#include "backends/cpu/pointwise_simd.h"
#include "backends/cpu/sum_simd.h"

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {

// x - mean, with a mean of more digits than one f32 has.
struct Centre {
  HWY_INLINE FloatVec operator()(FloatVec x) const { return hn::Sub(hn::Sub(x, mean), rest); }
  FloatVec mean, rest;
};

struct CentredSquare {
  HWY_INLINE FloatVec operator()(FloatVec x) const {
    const FloatVec d = centre(x);
    return hn::Mul(d, d);
  }
  Centre centre;
};

struct Normalise {
  HWY_INLINE FloatVec operator()(FloatVec x) const { return hn::Mul(centre(x), factor); }
  HWY_INLINE FloatVec operator()(FloatVec x, FloatVec scale, FloatVec shift) const {
    return hn::MulAdd((*this)(x), scale, shift);
  }
  Centre centre;
  FloatVec factor;
};

template <class T>
Normalise normalise_row(const T* x, Dim n, float eps) {
  const Floats d;
  const float each = 1.0f / static_cast<float>(n);
  Centre centre{hn::Zero(d), hn::Zero(d)};
  centre.mean = hn::Set(d, sum_row(centre, x, n) * each);
  centre.rest = hn::Set(d, sum_row(centre, x, n) * each);
  const float variance = sum_row(CentredSquare{centre}, x, n) * each;
  return {centre, hn::Set(d, 1.0f / std::sqrt(variance + eps))};
}

// An operand whose type and kind are known at run time.
class Any {
 public:
  Any(const std::byte* data, DType dtype, bool repeats)
      : data_(data), bf16_(dtype == DType::kBF16), repeats_(repeats) {}
  HWY_INLINE FloatVec at(Dim i) const { return bf16_ ? of<BF16>(i) : of<float>(i); }
  HWY_INLINE FloatVec at(Dim i, Dim n) const { return bf16_ ? of<BF16>(i, n) : of<float>(i, n); }

 private:
  template <class T, class... Range>
  HWY_INLINE FloatVec of(Range... range) const {
    return repeats_ ? Same<T>(data_).at(range...) : Each<T>(data_).at(range...);
  }

  const std::byte* data_;
  bool bf16_, repeats_;
};

// Operands: x, then scale and shift if `in` has them, then the output.
template <class T>
void layer_norm_row(std::byte* const* operands, Dim n, float eps, const Walk& walk,
                    std::span<const View> in) {
  const T* const x = reinterpret_cast<const T*>(operands[0]);
  T* const out = reinterpret_cast<T*>(operands[in.size()]);
  const Normalise normalise = normalise_row(x, n, eps);
  if (in.size() == 1) return map_row(normalise, n, out, Each<T>(operands[0]));
  map_row(normalise, n, out, Each<T>(operands[0]), Any(operands[1], in[1].dtype, walk.repeats(1)),
          Any(operands[2], in[2].dtype, walk.repeats(2)));
}

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tintype::cpu {
namespace {

class LayerNorm final : public Prepared {
 public:
  LayerNorm(const NodeView& node, const DeviceFacts& facts)
      : walk_(walk_of(node, Walk::Rows::kLastAxis)),
        row_(node.in_dtype(0) == DType::kBF16 ? TINTYPE_FOR_ISA(facts.isa, layer_norm_row<BF16>)
                                              : TINTYPE_FOR_ISA(facts.isa, layer_norm_row<float>)),
        eps_(node.node.attr<NormAttrs>().eps) {}

  void run(const Buffers& b) const noexcept override {
    parallel_walk(walk_, b, [&](const auto& operands, Dim n) {
      row_(operands.data(), n, eps_, walk_, b.in);
    });
  }

 private:
  Walk walk_;
  void (*row_)(std::byte* const*, Dim, float, const Walk&, std::span<const View>);
  float eps_;
};

}  // namespace

const Kernel kLayerNorm{
    .id = "cpu.layer_norm",
    .op = Op::kLayerNorm,
    .needs = kPointwiseNeeds,
    .prepare = prepare<LayerNorm>,
};

}  // namespace tintype::cpu
#endif
