#include "nn/layers.h"

#include "base/error.h"

namespace tintype {
namespace {

void check_bias(const Weights& w, Dim out) {
  if (!w.has("bias")) return;
  check(w.shape("bias") == Shape{out}, ErrorCode::kBadFile, w.component(), ": ", w.module(),
        ".bias is ", w.shape("bias"), ", needs [", out, "]");
}

Tensor bias_in(Graph& graph, const std::vector<RowSlice>& bias, Dim out, const std::string& name) {
  return bias.empty() ? Tensor{} : weight(graph, bias, {out}, name + ".bias");
}

}  // namespace

Linear::Linear(const Weights& w) : name_(w.module()), weight_(w.rows()), bias_(w.find("bias")) {
  const Shape shape = w.shape();
  check(shape.rank() == 2, ErrorCode::kBadFile, w.component(), ": ", name_, ".weight is ", shape,
        ", needs a matrix");
  out_ = shape[0];
  in_ = shape[1];
  check_bias(w, out_);
}

Tensor Linear::operator()(Tensor x) const {
  return linear(x, weight_, bias_in(x.graph(), bias_, out_, name_), name_);
}

Conv2d::Conv2d(const Weights& w) : Conv2d(w, Conv2dAttrs{}) {
  const Shape shape = w.shape();
  if (linear_) return;
  attrs_.top = attrs_.bottom = static_cast<int>(shape[2] / 2);
  attrs_.left = attrs_.right = static_cast<int>(shape[3] / 2);
}

Conv2d::Conv2d(const Weights& w, const Conv2dAttrs& attrs)
    : name_(w.module()), weight_(w.rows()), bias_(w.find("bias")), attrs_(attrs) {
  const Shape shape = w.shape();
  linear_ = shape.rank() == 2;
  check((linear_ || shape.rank() == 4) && weight_.size() == 1, ErrorCode::kBadFile, w.component(),
        ": ", name_, ".weight is ", shape, ", needs [out, in, height, width]");
  out_ = shape[0];
  in_ = shape[1];
  check_bias(w, out_);
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
    size_ = w.shape(leaf).elements();
    return;
  }
  w.rows(*leaves.begin());  // throws, naming the first
}

Tensor Vector::in(Graph& graph) const { return weight(graph, slices_, {size_}, name_); }

Embedding::Embedding(const Weights& w) : name_(w.module()), weight_(w.rows()) {
  const Shape shape = w.shape();
  check(shape.rank() == 2, ErrorCode::kBadFile, w.component(), ": ", name_, ".weight is ", shape,
        ", needs a matrix");
  rows_ = shape[0];
  width_ = shape[1];
}

Tensor Embedding::operator()(Tensor tokens) const { return embedding(tokens, weight_, name_); }

}  // namespace tintype
