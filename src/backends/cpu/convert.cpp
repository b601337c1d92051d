#include "backends/cpu/convert.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/convert.cpp"
#include "backends/cpu/pointwise_simd.h"

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {

struct Same32 {
  HWY_INLINE FloatVec operator()(FloatVec x) const { return x; }
};

template <class From, class To>
void convert(const std::byte* from, std::byte* to, Dim n) {
  map_row(Same32(), n, reinterpret_cast<To*>(to), Each<From>(from));
}

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tintype::cpu {
namespace {

template <size_t kSize>
void move(const std::byte* from, std::byte* to, Dim n) {
  std::memcpy(to, from, static_cast<size_t>(n) * kSize);
}

}  // namespace

ConvertRow convert_row(DType from, DType to, const DeviceFacts& facts) {
  if (from == DType::kF32 && to == DType::kBF16)
    return TINTYPE_FOR_ISA(facts.isa, convert<float, BF16>);
  if (from == DType::kBF16 && to == DType::kF32)
    return TINTYPE_FOR_ISA(facts.isa, convert<BF16, float>);
  switch (size_of(from)) {
    case 1:
      return move<1>;
    case 2:
      return move<2>;
    case 4:
      return move<4>;
    default:
      return move<8>;
  }
}

}  // namespace tintype::cpu
#endif
