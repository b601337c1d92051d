// The operations of a graph and their attributes. What each one computes is said where it is built,
// in graph/ops.h.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tensor/array.h"

namespace tintype {

enum class Op : uint8_t {
  // sources
  kInput,
  kConstant,
  kWeight,
  // views: the output is the input's memory seen otherwise, or a copy where strides cannot do that
  kReshape,
  kPermute,
  kSlice,
  // movement
  kCopy,
  kConcat,
  kEmbedding,
  kTakeRows,
  kArgmax,
  kUpsample,
  // element by element
  kAdd,
  kMul,
  kGatedAdd,
  kAffine,
  kSilu,
  kGeluTanh,
  kGeluErf,
  kQuickGelu,
  // rows
  kLayerNorm,
  kRmsNorm,
  kGroupNorm,
  kQuantiseRows,
  // products
  kLinear,
  kInt8Linear,
  kConv2d,
  kAttend,
  // positions
  kSinusoid,
  kRopeTable,
  kRope,
};

std::string_view name(Op op);

struct NoAttrs {
  bool operator==(const NoAttrs&) const = default;
};
struct InputAttrs {
  std::string name;
  bool operator==(const InputAttrs&) const = default;
};
struct ConstantAttrs {
  std::shared_ptr<const Array> value;
  bool operator==(const ConstantAttrs& other) const;  // same type and bytes
};
struct PermuteAttrs {
  std::array<int, kMaxRank> axes{};  // output axis i is input axis axes[i]
  bool operator==(const PermuteAttrs&) const = default;
};
struct SliceAttrs {
  int axis = 0;
  Dim first = 0;
  bool operator==(const SliceAttrs&) const = default;
};
struct ConcatAttrs {
  int axis = 0;
  bool operator==(const ConcatAttrs&) const = default;
};
struct AffineAttrs {
  float scale = 1, offset = 0;
  bool operator==(const AffineAttrs&) const = default;
};
struct NormAttrs {
  float eps = 0;
  bool operator==(const NormAttrs&) const = default;
};
struct GroupNormAttrs {
  Dim groups = 32;
  float eps = 0;
  bool silu = false;  // silu(group_norm(x)) in one pass
  bool operator==(const GroupNormAttrs&) const = default;
};
struct QuantiseRowsAttrs {
  Dim rotation = 0;  // columns per Hadamard group, 0: none
  bool operator==(const QuantiseRowsAttrs&) const = default;
};
struct Conv2dAttrs {
  int stride = 1;
  int top = 0, left = 0, bottom = 0, right = 0;  // zeros around the input
  bool operator==(const Conv2dAttrs&) const = default;
};
struct AttendAttrs {
  float scale = 1;
  bool causal = false;  // query i sees keys 0..i
  bool operator==(const AttendAttrs&) const = default;
};
struct SinusoidAttrs {
  Dim dim = 256;
  double factor = 1000, max_period = 10000;
  bool operator==(const SinusoidAttrs&) const = default;
};
struct RopeTableAttrs {
  std::vector<Dim> axes;  // dims of a head that each position axis rotates
  double theta = 10000;
  bool operator==(const RopeTableAttrs&) const = default;
};

using Attrs = std::variant<NoAttrs, InputAttrs, ConstantAttrs, PermuteAttrs, SliceAttrs,
                           ConcatAttrs, AffineAttrs, NormAttrs, GroupNormAttrs, QuantiseRowsAttrs,
                           Conv2dAttrs, AttendAttrs, SinusoidAttrs, RopeTableAttrs>;

}  // namespace tintype
