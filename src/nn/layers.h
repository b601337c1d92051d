// The layers that models are made of. Each finds its own weights below a Weights view and reads its
// sizes from them; precision, quantisation and backend stay out of sight.
#pragma once

#include "graph/ops.h"
#include "nn/weights.h"

namespace tintype {

enum class Bias { kHas, kNone };

// y = x W^T + b; W [out, in]. Whether there is a bias is the model's to say, never the file's.
class Linear {
 public:
  explicit Linear(const Weights& w, Bias bias = Bias::kHas);
  Tensor operator()(Tensor x) const;
  Dim in() const { return in_; }
  Dim out() const { return out_; }

 private:
  std::string name_;
  std::vector<RowSlice> weight_, bias_;
  Dim in_, out_;
};

// W [out, in, side, side], with a bias. A 2-D weight is a 1 x 1 convolution.
class Conv2d {
 public:
  // Same-size padding, side / 2, unless `attrs` says otherwise.
  Conv2d(const Weights& w, int side);
  Conv2d(const Weights& w, int side, const Conv2dAttrs& attrs);
  Tensor operator()(Tensor x) const;
  Dim in() const { return in_; }
  Dim out() const { return out_; }

 private:
  std::string name_;
  std::vector<RowSlice> weight_, bias_;
  Conv2dAttrs attrs_;
  bool linear_ = false;  // 2-D weight
  Dim in_, out_;
};

// A vector that scales or shifts: the leaf is `weight`, or `scale` as older files call it.
class Vector {
 public:
  Vector() = default;
  Vector(const Weights& w, std::initializer_list<std::string_view> leaves);
  Tensor in(Graph& graph, Dim size) const;  // f32 [size]
  Dim size() const { return size_; }

 private:
  std::string name_;
  std::vector<RowSlice> slices_;
  Dim size_ = 0;
};

class RmsNorm {
 public:
  RmsNorm(const Weights& w, float eps) : scale_(w, {"weight", "scale"}), eps_(eps) {}
  Tensor operator()(Tensor x) const { return rms_norm(x, scale_.in(x.graph(), x.dim(-1)), eps_); }
  Dim size() const { return scale_.size(); }

 private:
  Vector scale_;
  float eps_;
};

// With learned scale and shift.
class LayerNorm {
 public:
  LayerNorm(const Weights& w, float eps) : scale_(w, {"weight"}), shift_(w, {"bias"}), eps_(eps) {}
  Tensor operator()(Tensor x) const {
    const Dim c = x.dim(-1);
    return layer_norm(x, eps_) * scale_.in(x.graph(), c) + shift_.in(x.graph(), c);
  }

 private:
  Vector scale_, shift_;
  float eps_;
};

class GroupNorm {
 public:
  GroupNorm(const Weights& w, Dim groups, float eps)
      : scale_(w, {"weight"}), shift_(w, {"bias"}), groups_(groups), eps_(eps) {}
  Tensor operator()(Tensor x) const {
    const Dim c = x.dim(-1);
    return group_norm(x, scale_.in(x.graph(), c), shift_.in(x.graph(), c), groups_, eps_);
  }

 private:
  Vector scale_, shift_;
  Dim groups_;
  float eps_;
};

class Embedding {
 public:
  explicit Embedding(const Weights& w);
  Tensor operator()(Tensor tokens) const;  // i32 [B, L] -> [B, L, D]
  Dim rows() const { return rows_; }
  Dim width() const { return width_; }

 private:
  std::string name_;
  std::vector<RowSlice> weight_;
  Dim rows_, width_;
};

// [B, L, H*D] as [B, L, H, D], and back.
inline Tensor split_heads(Tensor x, Dim head_dim) {
  return reshape(x, {x.dim(0), x.dim(1), x.dim(2) / head_dim, head_dim});
}
inline Tensor join_heads(Tensor x) { return reshape(x, {x.dim(0), x.dim(1), x.dim(2) * x.dim(3)}); }

}  // namespace tintype
