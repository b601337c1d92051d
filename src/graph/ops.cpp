// Arithmetic. Checks are made here, once, so that no kernel has to.
#include "graph/ops.h"

#include <algorithm>
#include <numeric>

#include "graph/need.h"

namespace tintype {
namespace {

// True if `small` can be stretched to `large`: axes counted from the last are 1 or equal.
bool broadcasts(const Shape& small, const Shape& large) {
  if (small.rank() > large.rank()) return false;
  for (int i = 1; i <= small.rank(); ++i) {
    const Dim s = small[small.rank() - i];
    if (s != 1 && s != large[large.rank() - i]) return false;
  }
  return true;
}

Tensor binary(const char* name, Op op, Tensor a, Tensor b) {
  need_float(name, a);
  need_float(name, b);
  if (!broadcasts(b.shape(), a.shape())) std::swap(a, b);
  need(broadcasts(b.shape(), a.shape()), name, ": ", a.shape(), " and ", b.shape(),
       " do not broadcast");
  Graph& graph = a.graph();
  const DType type = a.dtype() == b.dtype() ? a.dtype() : graph.activation();
  return graph.node({.op = op, .inputs = {a, b}, .outputs = {{type, a.shape()}}});
}

Tensor unary(const char* name, Op op, Tensor x, Attrs attrs = {}) {
  need_float(name, x);
  return x.graph().node(
      {.op = op, .inputs = {x}, .attrs = std::move(attrs), .outputs = {x.type()}});
}

Dim rows_of(const std::vector<RowSlice>& slices) {
  return std::accumulate(slices.begin(), slices.end(), Dim{0},
                         [](Dim sum, const RowSlice& s) { return sum + s.rows; });
}

void need_vector(const std::string& what, const Tensor& x, Dim length) {
  need(x.dtype() == DType::kF32 && x.shape() == Shape{length}, what, ": needs f32 [", length,
       "], got ", x.dtype(), x.shape());
}

Tensor product(Op op, std::vector<Tensor> inputs, std::vector<RowSlice> slices, Tensor bias,
               const std::string& layer) {
  const Tensor x = inputs[0];
  const Dim n = rows_of(slices);
  for (const RowSlice& s : slices)
    need(s.parameter->cols() == x.dim(-1), layer, ": the weight has ", s.parameter->cols(),
         " columns, the input has ", x.dim(-1));
  if (bias) {
    need_vector(layer + " bias", bias, n);
    inputs.push_back(bias);
  }
  Shape shape = x.shape();
  shape[shape.rank() - 1] = n;
  Graph& graph = x.graph();
  return graph.node({.op = op,
                     .inputs = std::move(inputs),
                     .weight = std::move(slices),
                     .outputs = {{graph.activation(), shape}},
                     .layer = layer});
}

}  // namespace

Tensor operator+(Tensor a, Tensor b) { return binary("add", Op::kAdd, a, b); }
Tensor operator*(Tensor a, Tensor b) { return binary("mul", Op::kMul, a, b); }
Tensor operator+(float offset, Tensor x) {
  return unary("affine", Op::kAffine, x, AffineAttrs{1, offset});
}
Tensor operator*(float factor, Tensor x) {
  return unary("affine", Op::kAffine, x, AffineAttrs{factor, 0});
}
Tensor silu(Tensor x) { return unary("silu", Op::kSilu, x); }
Tensor gelu_tanh(Tensor x) { return unary("gelu_tanh", Op::kGeluTanh, x); }
Tensor gelu_erf(Tensor x) { return unary("gelu_erf", Op::kGeluErf, x); }
Tensor quick_gelu(Tensor x) { return unary("quick_gelu", Op::kQuickGelu, x); }

Tensor layer_norm(Tensor x, float eps) {
  return unary("layer_norm", Op::kLayerNorm, x, NormAttrs{eps});
}

Tensor layer_norm(Tensor x, float eps, Tensor scale, Tensor shift) {
  for (const Tensor& t : {x, scale, shift}) need_float("layer_norm", t);
  need(broadcasts(scale.shape(), x.shape()) && broadcasts(shift.shape(), x.shape()),
       "layer_norm: scale ", scale.shape(), " and shift ", shift.shape(), " do not fit ",
       x.shape());
  return x.graph().node({.op = Op::kLayerNorm,
                         .inputs = {x, scale, shift},
                         .attrs = NormAttrs{eps},
                         .outputs = {x.type()}});
}

Tensor gated_add(Tensor x, Tensor gate, Tensor y) {
  for (const Tensor& t : {x, gate}) need_float("gated_add", t);
  need(x.type() == y.type() && broadcasts(gate.shape(), x.shape()), "gated_add: gate ",
       gate.shape(), " and ", y.shape(), " do not fit ", x.shape());
  return x.graph().node({.op = Op::kGatedAdd, .inputs = {x, gate, y}, .outputs = {x.type()}});
}

Tensor rms_norm(Tensor x, Tensor scale, float eps) {
  need_float("rms_norm", x);
  need_vector("rms_norm scale", scale, x.dim(-1));
  return x.graph().node(
      {.op = Op::kRmsNorm, .inputs = {x, scale}, .attrs = NormAttrs{eps}, .outputs = {x.type()}});
}

Tensor group_norm(Tensor x, Tensor scale, Tensor shift, Dim groups, float eps) {
  need_float("group_norm", x);
  need(x.rank() == 4 && groups > 0 && x.dim(3) % groups == 0,
       "group_norm: needs [B, H, W, C] with C in ", groups, " groups, got ", x.shape());
  need_vector("group_norm scale", scale, x.dim(3));
  need_vector("group_norm shift", shift, x.dim(3));
  return x.graph().node({.op = Op::kGroupNorm,
                         .inputs = {x, scale, shift},
                         .attrs = GroupNormAttrs{groups, eps, false},
                         .outputs = {x.type()}});
}

std::array<Tensor, 2> quantise_rows(Tensor x, Dim rotation) {
  need_float("quantise_rows", x);
  need(rotation == 0 || x.dim(-1) % rotation == 0, "quantise_rows: groups of ", rotation,
       " do not divide ", x.shape());
  Shape rows = x.shape();
  rows[rows.rank() - 1] = 1;
  const Tensor codes = x.graph().node({.op = Op::kQuantiseRows,
                                       .inputs = {x},
                                       .attrs = QuantiseRowsAttrs{rotation},
                                       .outputs = {{DType::kI8, x.shape()}, {DType::kF32, rows}}});
  return {codes, Tensor(&codes.node(), 1)};
}

Tensor linear(Tensor x, std::vector<RowSlice> slices, Tensor bias, const std::string& layer) {
  need(x.dtype() == x.graph().activation(), layer, ": the input is ", x.dtype(),
       ", activations are ", x.graph().activation());
  return product(Op::kLinear, {x}, std::move(slices), bias, layer);
}

Tensor int8_linear(Tensor codes, Tensor scales, RowSlice slice, Tensor bias,
                   const std::string& layer) {
  need(codes.dtype() == DType::kI8, layer, ": needs int8 codes, got ", codes.dtype());
  return product(Op::kInt8Linear, {codes, scales}, {slice}, bias, layer);
}

Tensor conv2d(Tensor x, std::vector<RowSlice> slices, Tensor bias, const Conv2dAttrs& a,
              const std::string& layer) {
  need_float(layer, x);
  need(a.stride > 0, layer, ": the stride is ", a.stride);
  need(slices.size() == 1 && slices[0].parameter->shape.rank() == 4, layer,
       ": a convolution needs one weight [O, I, kh, kw]");
  const Shape& w = slices[0].parameter->shape;
  need(x.rank() == 4 && x.dim(3) == w[1], layer, ": the weight has ", w[1],
       " input channels, the input is ", x.shape());
  const Dim high = x.dim(1) + a.top + a.bottom - w[2], wide = x.dim(2) + a.left + a.right - w[3];
  need(high >= 0 && wide >= 0, layer, ": the kernel ", w, " is larger than ", x.shape());
  const Shape shape{x.dim(0), high / a.stride + 1, wide / a.stride + 1, slices[0].rows};
  std::vector<Tensor> inputs{x};
  if (bias) {
    need_vector(layer + " bias", bias, slices[0].rows);
    inputs.push_back(bias);
  }
  return x.graph().node({.op = Op::kConv2d,
                         .inputs = std::move(inputs),
                         .attrs = a,
                         .weight = std::move(slices),
                         .outputs = {{x.graph().activation(), shape}},
                         .layer = layer});
}

Tensor attend(Tensor q, Tensor k, Tensor v, const AttendAttrs& attrs, Tensor bias) {
  need(attrs.scale > 0, "attend: the scale is ", attrs.scale, ", needs more than 0");
  need(q.dtype() == k.dtype() && q.dtype() == v.dtype(), "attend: q is ", q.dtype(), ", k ",
       k.dtype(), " and v ", v.dtype(), ", needs one type");
  need(q.rank() == 4 && k.shape() == v.shape() && k.rank() == 4 && q.dim(0) == k.dim(0) &&
           q.dim(2) == k.dim(2) && q.dim(3) == k.dim(3),
       "attend: q ", q.shape(), ", k ", k.shape(), " and v ", v.shape(), " do not fit");
  need_float("attend", q);
  std::vector<Tensor> inputs{q, k, v};
  if (bias) {
    need(bias.dtype() == DType::kF32 || bias.dtype() == q.dtype(), "attend: the bias is ",
         bias.dtype(), ", needs f32 or ", q.dtype());
    need(bias.shape() == Shape{q.dim(2), q.dim(1), k.dim(1)}, "attend: the bias ", bias.shape(),
         " must be [H, S, T] of q ", q.shape(), " and k ", k.shape());
    inputs.push_back(bias);
  }
  return q.graph().node(
      {.op = Op::kAttend, .inputs = std::move(inputs), .attrs = attrs, .outputs = {q.type()}});
}

Tensor sinusoid(Tensor t, const SinusoidAttrs& attrs) {
  need(t.dtype() == DType::kF32 && t.rank() == 1, "sinusoid: needs f32 [B], got ", t.dtype(),
       t.shape());
  need(attrs.dim > 0 && attrs.dim % 2 == 0, "sinusoid: ", attrs.dim, " is odd");
  Graph& graph = t.graph();
  return graph.node({.op = Op::kSinusoid,
                     .inputs = {t},
                     .attrs = attrs,
                     .outputs = {{graph.activation(), {t.dim(0), attrs.dim}}}});
}

Tensor rope_table(Tensor positions, const RopeTableAttrs& attrs) {
  need(positions.dtype() == DType::kF32 && positions.rank() == 2 &&
           positions.dim(1) == static_cast<Dim>(attrs.axes.size()),
       "rope_table: needs f32 [S, ", attrs.axes.size(), "], got ", positions.shape());
  need(std::ranges::all_of(attrs.axes, [](Dim axis) { return axis > 0 && axis % 2 == 0; }),
       "rope_table: every axis needs an even width");
  const Dim head = std::accumulate(attrs.axes.begin(), attrs.axes.end(), Dim{0});
  return positions.graph().node({.op = Op::kRopeTable,
                                 .inputs = {positions},
                                 .attrs = attrs,
                                 .outputs = {{DType::kF32, {positions.dim(0), head / 2, 2}}}});
}

Tensor rope(Tensor x, Tensor table) {
  need_float("rope", x);
  need(table.dtype() == DType::kF32, "rope: the table is ", table.dtype(), ", needs f32");
  need(x.rank() == 4 && table.shape() == Shape{x.dim(1), x.dim(3) / 2, 2}, "rope: the table ",
       table.shape(), " does not fit ", x.shape());
  return x.graph().node({.op = Op::kRope, .inputs = {x, table}, .outputs = {x.type()}});
}

}  // namespace tintype
