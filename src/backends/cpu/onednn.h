// Matrix products and convolutions by oneDNN; the only door to them.
//
// An object is made while a node is prepared (milliseconds: code is generated) and may be run by
// several threads at once, each with its own scratch. Making one throws kMachine if oneDNN would
// fall back to a reference implementation, which is a thousand times slower and says nothing.
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <string>

#include "graph/kernel.h"

namespace tintype::cpu {

// Keeps oneDNN from using more of the processor than `facts` allow. Once per process, before
// anything else here; throws kFailed if it comes too late to have an effect.
void limit_onednn(const DeviceFacts& facts);

// True where bf16 products are native; where they are emulated, they run at a fifth of f32.
bool multiplies_bf16(const DeviceFacts& facts);

// How the second factor of a product lies in memory.
enum class Factor : uint8_t {
  kRows,     // [N, K]: one row per output column, as linear weights are stored
  kColumns,  // [K, N]
  kPacked,   // as MatMul::pack() left it
};

// out[m, n] = sum over k of a[m, k] * b[k, n].
struct MatMulSpec {
  Dim m = 0, n = 0, k = 0;
  DType type = DType::kF32;  // of both factors: kF32, kBF16 or kI8
  DType out = DType::kF32;   // kF32 or kBF16; kI32 for kI8
  Factor b = Factor::kRows;
  Factor unpacked = Factor::kRows;  // how pack() finds b, without gaps
  // Elements from one stored row to the next; 0: no gap.
  Dim a_stride = 0, b_stride = 0, out_stride = 0;
  bool accumulate = false;  // adds to `out` instead of replacing it
  bool one_thread = false;  // the caller's, which may be inside a parallel region

  auto operator<=>(const MatMulSpec&) const = default;
};

class MatMul {
 public:
  explicit MatMul(const MatMulSpec& spec);

  const std::string& implementation() const;  // oneDNN's name for it
  size_t scratch_bytes() const;               // memory for run() and pack(), aligned to 64
  void run(const void* a, const void* b, void* out, std::byte* scratch) const noexcept;

  size_t packed_bytes() const;  // of b as kPacked
  // b as spec.unpacked -> as kPacked.
  void pack(const void* b, void* packed, std::byte* scratch) const noexcept;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

// out[b, y, x, o] = bias[o] + sum of weight[o, i, v, u] * in[b, y*stride + v - top, ..., i].
struct ConvolutionSpec {
  Dim batch = 1, height = 0, width = 0, in_channels = 0;  // of the input [B, H, W, I]
  Dim out_channels = 0, kernel_height = 1, kernel_width = 1;
  Dim stride = 1;
  Dim top = 0, left = 0, bottom = 0, right = 0;  // zeros around the input
  DType type = DType::kF32;                      // of input, weight and output: kF32 or kBF16
  bool bias = false;                             // f32 [O]

  auto operator<=>(const ConvolutionSpec&) const = default;
};

class Convolution {
 public:
  explicit Convolution(const ConvolutionSpec& spec);

  const std::string& implementation() const;
  size_t scratch_bytes() const;  // memory for run() and pack(), aligned to 64
  size_t packed_bytes() const;   // of the weight as run() wants it
  // f32 or bf16 [O, I, kh, kw], the type of the spec -> packed.
  void pack(const void* weight, void* packed, std::byte* scratch) const noexcept;
  void run(const void* in, const void* packed, const float* bias, void* out,
           std::byte* scratch) const noexcept;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace tintype::cpu
