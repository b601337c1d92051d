#include "nn/layers.h"

#include "base/error.h"

namespace tintype {
namespace {

std::vector<RowSlice> bias_of(const Weights& w, Dim out) {
  check(w.shape("bias") == Shape{out}, ErrorCode::kBadFile, w.where(), ".bias is ", w.shape("bias"),
        ", needs [", out, "]");
  return w.rows("bias");
}

Tensor bias_in(Graph& graph, const std::vector<RowSlice>& bias, Dim out, const std::string& name) {
  return bias.empty() ? Tensor{} : weight(graph, bias, {out}, name + ".bias");
}

}  // namespace

Linear::Linear(const Weights& w, Bias bias) : name_(w.module()), weight_(w.rows()) {
  const Shape shape = w.shape();
  check(shape.rank() == 2, ErrorCode::kBadFile, w.where(), ".weight is ", shape,
        ", needs a matrix");
  out_ = shape[0];
  in_ = shape[1];
  if (bias == Bias::kHas) bias_ = bias_of(w, out_);
}

Tensor Linear::operator()(Tensor x) const {
  return linear(x, weight_, bias_in(x.graph(), bias_, out_, name_), name_);
}

Conv2d::Conv2d(const Weights& w, int side)
    : Conv2d(w, side, {.top = side / 2, .left = side / 2, .bottom = side / 2, .right = side / 2}) {}

Conv2d::Conv2d(const Weights& w, int side, const Conv2dAttrs& attrs)
    : name_(w.module()), weight_(w.rows()), attrs_(attrs) {
  const Shape shape = w.shape();
  linear_ = shape.rank() == 2 && side == 1;
  check(weight_.size() == 1 &&
            (linear_ || (shape.rank() == 4 && shape[2] == side && shape[3] == side)),
        ErrorCode::kBadFile, w.where(), ".weight is ", shape, ", needs [out, in, ", side, ", ",
        side, "]");
  out_ = shape[0];
  in_ = shape[1];
  bias_ = bias_of(w, out_);
}

Tensor Conv2d::operator()(Tensor x) const {
  const Tensor bias = bias_in(x.graph(), bias_, out_, name_);
  return linear_ ? linear(x, weight_, bias, name_) : conv2d(x, weight_, bias, attrs_, name_);
}

Vector::Vector(const Weights& w, std::initializer_list<std::string_view> leaves) {
  for (std::string_view leaf : leaves) {
    if (!w.has(leaf)) continue;
    name_ = concat_text(w.module(), ".", leaf);
    slices_ = w.rows(leaf);
    const Shape shape = w.shape(leaf);
    check(shape.rank() == 1, ErrorCode::kBadFile, w.where(), ".", leaf, " is ", shape,
          ", needs one axis");
    size_ = shape[0];
    return;
  }
  w.rows(*leaves.begin());  // throws, naming the first
}

Tensor Vector::in(Graph& graph, Dim size) const { return weight(graph, slices_, {size}, name_); }

Embedding::Embedding(const Weights& w) : name_(w.module()), weight_(w.rows()) {
  const Shape shape = w.shape();
  check(shape.rank() == 2, ErrorCode::kBadFile, w.where(), ".weight is ", shape,
        ", needs a matrix");
  rows_ = shape[0];
  width_ = shape[1];
}

Tensor Embedding::operator()(Tensor tokens) const { return embedding(tokens, weight_, name_); }

}  // namespace tintype
