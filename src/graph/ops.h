// Building blocks of model code: free functions that check their arguments and add nodes.
//
// "act" is the graph's activation type. Float values are act unless a line says f32. Images are
// [B, H, W, C]; sequences are [B, L, C]; heads are [B, L, H, D]. Every function throws kFailed with
// a sentence that names the operation if shapes or types do not fit.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace tintype {

// ---- views: the same memory seen otherwise -----------------------------------------------------

Tensor reshape(Tensor x, const Shape& shape);
Tensor permute(Tensor x, std::initializer_list<int> axes);
// Indices [first, first + count) along `axis` (-1: the last).
Tensor slice(Tensor x, int axis, Dim first, Dim count);
// Consecutive parts along `axis`; the sizes must sum to its length.
std::vector<Tensor> split(Tensor x, int axis, std::initializer_list<Dim> sizes);
// The length of each of `parts` equal parts along `axis`.
Dim equal_part(Tensor x, int axis, size_t parts);
// N equal parts along `axis`.
template <size_t N>
std::array<Tensor, N> chunk(Tensor x, int axis) {
  std::array<Tensor, N> parts;
  const Dim each = equal_part(x, axis, N);
  for (size_t i = 0; i < N; ++i) parts[i] = slice(x, axis, static_cast<Dim>(i) * each, each);
  return parts;
}

// ---- sources and movement ----------------------------------------------------------------------

// A small weight (norm scale, bias, position table) decoded to f32 with the given shape.
Tensor weight(Graph& graph, std::vector<RowSlice> slices, const Shape& shape,
              const std::string& layer);
// x as a dense tensor of `dtype`; x itself if it already has that type.
Tensor cast(Tensor x, DType dtype);
Tensor concat(const std::vector<Tensor>& parts, int axis);
// Rows of a [V, D] weight, by i32 token [B, L] -> act [B, L, D].
Tensor embedding(Tensor tokens, std::vector<RowSlice> slices, const std::string& layer);
// Index of the first largest element of each row: i32 [B, L] -> i32 [B].
Tensor argmax(Tensor tokens);
// x[b, index[b]]: [B, L, D], i32 [B] -> [B, D].
Tensor take_rows(Tensor x, Tensor index);
// Nearest neighbour, twice the size: [B, H, W, C] -> [B, 2H, 2W, C].
Tensor upsample(Tensor x);

// ---- element by element ------------------------------------------------------------------------

// The second operand is broadcast: its axes, counted from the last, are 1 or equal to x's. Either
// operand may be the smaller one. An f32 operand beside an act one is allowed; the result is act.
Tensor operator+(Tensor a, Tensor b);
Tensor operator*(Tensor a, Tensor b);
Tensor operator+(float offset, Tensor x);
Tensor operator*(float factor, Tensor x);
Tensor silu(Tensor x);        // x * sigmoid(x)
Tensor gelu_tanh(Tensor x);   // x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))
Tensor gelu_erf(Tensor x);    // x/2 * (1 + erf(x / sqrt(2)))
Tensor quick_gelu(Tensor x);  // x * sigmoid(1.702 x)

// ---- rows --------------------------------------------------------------------------------------

// (x - mean) / sqrt(variance + eps) over the last axis. `layer_norm(x, e) * s + t` becomes one pass
// when it is lowered.
Tensor layer_norm(Tensor x, float eps);
// x / sqrt(mean(x^2) + eps) * scale over the last axis; scale f32 [C].
Tensor rms_norm(Tensor x, Tensor scale, float eps);
// Over each of `groups` groups of channels and all of H, W; scale and shift f32 [C].
Tensor group_norm(Tensor x, Tensor scale, Tensor shift, Dim groups, float eps);

// ---- products ----------------------------------------------------------------------------------

// x [..., K] times the transposed rows of `slices` [N, K], plus bias (f32 [N], or none) -> [...,
// N]. A weight whose format wants coded activations gets them, unless the lowering is told
// otherwise.
Tensor linear(Tensor x, std::vector<RowSlice> slices, Tensor bias, const std::string& layer);
// x [B, H, W, I], weight [O, I, kh, kw], bias f32 [O] -> [B, H', W', O].
Tensor conv2d(Tensor x, std::vector<RowSlice> slices, Tensor bias, const Conv2dAttrs& attrs,
              const std::string& layer);
// softmax(scale * q k^T + bias) v for each head; q [B, S, H, D], k and v [B, T, H, D], bias none or
// f32/act [H, S, T] -> [B, S, H, D]. Causal: query i sees keys 0..i.
Tensor attend(Tensor q, Tensor k, Tensor v, const AttendAttrs& attrs, Tensor bias = {});

// ---- positions ---------------------------------------------------------------------------------

// f32 [B] -> act [B, dim]: cos(factor * t * w_i), then sin; w_i = max_period^(-i / (dim/2)). The
// angles and their sines are computed in double: they reach 7000.
Tensor sinusoid(Tensor t, const SinusoidAttrs& attrs);
// Positions f32 [S, A] -> f32 [S, D/2, 2]: cosine and sine of position * theta^(-2j/axes[a]), axis
// after axis, D the sum of attrs.axes.
Tensor rope_table(Tensor positions, const RopeTableAttrs& attrs);
// Rotates consecutive pairs of the last axis: x [B, S, H, D], table f32 [S, D/2, 2].
Tensor rope(Tensor x, Tensor table);

// ---- made by lowering --------------------------------------------------------------------------

// Each row of x, rotated by Hadamard groups (formats/hadamard.h) and coded as int8 with scale
// max(amax/127, 1e-30), ties to even, all in f32 -> {i8 like x, f32 [..., 1]}.
std::array<Tensor, 2> quantise_rows(Tensor x, Dim rotation);
// acc * scale_x[m] * scale_w[n] + bias[n] with acc the exact integer product; result act.
Tensor int8_linear(Tensor codes, Tensor scales, RowSlice slice, Tensor bias,
                   const std::string& layer);
// x + gate * y, gate broadcast like operator*'s.
Tensor gated_add(Tensor x, Tensor gate, Tensor y);
// layer_norm(x) * scale + shift, both broadcast.
Tensor layer_norm(Tensor x, float eps, Tensor scale, Tensor shift);

}  // namespace tintype
