// Views, sources and movement. Checks are made here, once, so that no kernel has to.
#include <algorithm>

#include "graph/need.h"
#include "graph/ops.h"

namespace tintype {
namespace {

int axis_of(const char* op, const Tensor& x, int axis) {
  const int found = axis < 0 ? axis + x.rank() : axis;
  need(found >= 0 && found < x.rank(), op, ": axis ", axis, " is outside ", x.shape());
  return found;
}

}  // namespace

Tensor reshape(Tensor x, const Shape& shape) {
  need(x.shape().elements() == shape.elements(), "reshape: ", x.shape(), " has ",
       x.shape().elements(), " elements, ", shape, " needs ", shape.elements());
  if (x.shape() == shape) return x;
  return x.graph().node({.op = Op::kReshape, .inputs = {x}, .outputs = {{x.dtype(), shape}}});
}

Tensor permute(Tensor x, std::initializer_list<int> axes) {
  need(static_cast<int>(axes.size()) == x.rank(), "permute: ", axes.size(), " axes for ",
       x.shape());
  PermuteAttrs attrs;
  std::ranges::copy(axes, attrs.axes.begin());
  Shape shape = x.shape();
  unsigned seen = 0;
  for (int i = 0; i < x.rank(); ++i) {
    const int from = axis_of("permute", x, attrs.axes[static_cast<size_t>(i)]);
    seen |= 1u << from;
    shape[i] = x.dim(from);
  }
  need(seen + 1 == 1u << x.rank(), "permute: an axis of ", x.shape(), " is named twice");
  return x.graph().node(
      {.op = Op::kPermute, .inputs = {x}, .attrs = attrs, .outputs = {{x.dtype(), shape}}});
}

Tensor slice(Tensor x, int axis, Dim first, Dim count) {
  axis = axis_of("slice", x, axis);
  need(first >= 0 && count > 0 && first + count <= x.dim(axis), "slice: ", first, "..",
       first + count, " is outside axis ", axis, " of ", x.shape());
  if (count == x.dim(axis)) return x;
  Shape shape = x.shape();
  shape[axis] = count;
  return x.graph().node({.op = Op::kSlice,
                         .inputs = {x},
                         .attrs = SliceAttrs{axis, first},
                         .outputs = {{x.dtype(), shape}}});
}

std::vector<Tensor> split(Tensor x, int axis, std::initializer_list<Dim> sizes) {
  std::vector<Tensor> parts;
  Dim first = 0;
  for (Dim size : sizes) {
    parts.push_back(slice(x, axis, first, size));
    first += size;
  }
  need(first == x.dim(axis), "split: sizes sum to ", first, ", axis ", axis, " of ", x.shape(),
       " has ", x.dim(axis));
  return parts;
}

Dim equal_part(Tensor x, int axis, size_t parts) {
  const Dim length = x.dim(axis), count = static_cast<Dim>(parts);
  need(length % count == 0, "chunk: axis ", axis, " of ", x.shape(), " is not ", count,
       " equal parts");
  return length / count;
}

Tensor weight(Graph& graph, std::vector<RowSlice> slices, const Shape& shape,
              const std::string& layer) {
  Dim elements = 0;
  for (const RowSlice& s : slices) {
    const Dim per_row = s.parameter->shape.elements() / s.parameter->rows();
    elements += s.rows * per_row;
  }
  need(elements == shape.elements(), layer, ": has ", elements, " elements, needs ", shape);
  return graph.node({.op = Op::kWeight,
                     .weight = std::move(slices),
                     .outputs = {{DType::kF32, shape}},
                     .layer = layer});
}

Tensor cast(Tensor x, DType dtype) {
  if (x.dtype() == dtype) return x;
  need(is_float(x.dtype()) && is_float(dtype), "cast: ", x.dtype(), " to ", dtype,
       " is not a float conversion");
  return x.graph().node({.op = Op::kCopy, .inputs = {x}, .outputs = {{dtype, x.shape()}}});
}

Tensor concat(const std::vector<Tensor>& parts, int axis) {
  need(!parts.empty(), "concat: needs at least one tensor");
  if (parts.size() == 1) return parts[0];
  axis = axis_of("concat", parts[0], axis);
  Shape shape = parts[0].shape();
  shape[axis] = 0;
  for (const Tensor& part : parts) {
    Shape other = part.shape();
    need(other.rank() == shape.rank(), "concat: ", other, " beside ", parts[0].shape());
    shape[axis] += other[axis];
    other[axis] = parts[0].dim(axis);
    need(other == parts[0].shape() && part.dtype() == parts[0].dtype(), "concat along axis ", axis,
         ": ", part.dtype(), part.shape(), " does not fit beside ", parts[0].dtype(),
         parts[0].shape());
  }
  return parts[0].graph().node({.op = Op::kConcat,
                                .inputs = parts,
                                .attrs = ConcatAttrs{axis},
                                .outputs = {{parts[0].dtype(), shape}}});
}

Tensor embedding(Tensor tokens, std::vector<RowSlice> slices, const std::string& layer) {
  need(tokens.dtype() == DType::kI32 && tokens.rank() == 2, layer,
       ": tokens must be i32 [B, L], got ", tokens.dtype(), tokens.shape());
  need(!slices.empty(), layer, ": the table is missing");
  const Dim cols = slices[0].parameter->cols();
  for (const RowSlice& s : slices)
    need(s.parameter->shape.rank() == 2 && s.parameter->cols() == cols, layer,
         ": the table must be a matrix, its parts equally wide");
  Graph& graph = tokens.graph();
  return graph.node({.op = Op::kEmbedding,
                     .inputs = {tokens},
                     .weight = std::move(slices),
                     .outputs = {{graph.activation(), {tokens.dim(0), tokens.dim(1), cols}}},
                     .layer = layer});
}

Tensor argmax(Tensor tokens) {
  need(tokens.dtype() == DType::kI32 && tokens.rank() == 2, "argmax: needs i32 [B, L], got ",
       tokens.dtype(), tokens.shape());
  return tokens.graph().node(
      {.op = Op::kArgmax, .inputs = {tokens}, .outputs = {{DType::kI32, {tokens.dim(0)}}}});
}

Tensor take_rows(Tensor x, Tensor index) {
  need(x.rank() == 3 && index.dtype() == DType::kI32 && index.shape() == Shape{x.dim(0)},
       "take_rows: needs [B, L, D] and i32 [B], got ", x.shape(), " and ", index.shape());
  return x.graph().node(
      {.op = Op::kTakeRows, .inputs = {x, index}, .outputs = {{x.dtype(), {x.dim(0), x.dim(2)}}}});
}

Tensor upsample(Tensor x) {
  need(x.rank() == 4, "upsample: needs [B, H, W, C], got ", x.shape());
  const Shape shape{x.dim(0), 2 * x.dim(1), 2 * x.dim(2), x.dim(3)};
  return x.graph().node({.op = Op::kUpsample, .inputs = {x}, .outputs = {{x.dtype(), shape}}});
}

}  // namespace tintype
