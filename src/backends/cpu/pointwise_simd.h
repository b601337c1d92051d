// Row functions of pointwise kernels, for each instruction set.
//
// A functor takes one register of f32 per input and gives the output's. Included once for each
// instruction set, like simd.h.

#include "backends/cpu/pointwise.h"
#include "backends/cpu/simd.h"

#if defined(TINTYPE_POINTWISE_ONCE) == defined(HWY_TARGET_TOGGLE)
#ifdef TINTYPE_POINTWISE_ONCE
#undef TINTYPE_POINTWISE_ONCE
#else
#define TINTYPE_POINTWISE_ONCE
#endif

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {

// Consecutive elements.
template <class T>
struct Each {
  explicit Each(const std::byte* data) : values(reinterpret_cast<const T*>(data)) {}
  HWY_INLINE FloatVec at(Dim i) const { return load(values + i); }
  HWY_INLINE FloatVec at(Dim i, Dim n) const { return load_n(values + i, n); }
  const T* values;
};

// One element, again and again.
template <class T>
struct Same {
  explicit Same(const std::byte* data)
      : value(hn::Set(Floats(), static_cast<float>(*reinterpret_cast<const T*>(data)))) {}
  HWY_INLINE FloatVec at(Dim) const { return value; }
  HWY_INLINE FloatVec at(Dim, Dim) const { return value; }
  FloatVec value;
};

template <class F, class Out, class... In>
HWY_INLINE void map_row(F f, Dim n, Out* out, const In&... in) {
  Dim i = 0;
  for (; i + kLanes <= n; i += kLanes) store(f(in.at(i)...), out + i);
  if (i < n) store_n(f(in.at(i, n - i)...), out + i, n - i);
}

template <class F, class T>
void unary_row(std::byte* const* operands, Dim n) {
  map_row(F(), n, reinterpret_cast<T*>(operands[1]), Each<T>(operands[0]));
}

template <class F, class Out, class A, class B>
void binary_row(std::byte* const* operands, Dim n) {
  map_row(F(), n, reinterpret_cast<Out*>(operands[2]), A(operands[0]), B(operands[1]));
}

template <class F>
RowFunction unary(const NodeView& node, const Walk&) {
  return node.out_dtype() == DType::kBF16 ? unary_row<F, BF16> : unary_row<F, float>;
}

// The first input has the shape of the output; the second may be stretched along rows.
template <class F, class Out, class A, class B>
RowFunction binary_of(bool repeats) {
  return repeats ? binary_row<F, Out, Each<A>, Same<B>> : binary_row<F, Out, Each<A>, Each<B>>;
}

template <class F, class Out>
RowFunction binary_to(const NodeView& node, bool repeats) {
  if (node.in_dtype(0) == DType::kBF16)
    return node.in_dtype(1) == DType::kBF16 ? binary_of<F, Out, BF16, BF16>(repeats)
                                            : binary_of<F, Out, BF16, float>(repeats);
  return node.in_dtype(1) == DType::kBF16 ? binary_of<F, Out, float, BF16>(repeats)
                                          : binary_of<F, Out, float, float>(repeats);
}

template <class F>
RowFunction binary(const NodeView& node, const Walk& walk) {
  return node.out_dtype() == DType::kBF16 ? binary_to<F, BF16>(node, walk.repeats(1))
                                          : binary_to<F, float>(node, walk.repeats(1));
}

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
