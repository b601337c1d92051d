// The weight formats that tintype reads. Each has one .cpp of its name, which opens with its byte
// layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tensor/dtype.h"
#include "tensor/parameter.h"

namespace tintype {

// A weight cut into blocks of `values` consecutive elements that take `bytes` each: all of GGUF,
// and plain floats as blocks of one.
struct BlockCodec {
  std::string_view name;       // "q6_k"
  std::string_view type_name;  // in GGUF, and in safetensors where that has it: "Q6_K"
  uint32_t gguf_type;
  Dim values;
  size_t bytes;
  void (*decode)(const std::byte* in, Dim blocks, float* out);
  void (*encode)(const float* in, Dim blocks, std::byte* out);
  // Largest |decoded - original| that encode() causes, relative to the largest |original| of the
  // block, where the block's scale is a normal half.
  float max_error;

  constexpr size_t alignment() const { return values == 1 ? bytes : 2; }
};

class BlockFormat final : public Format {
 public:
  explicit constexpr BlockFormat(const BlockCodec& codec) : codec_(codec) {}

  std::string_view name() const override { return codec_.name; }
  void decode_rows(const Parameter& p, Dim first, Dim count, float* out) const override;
  const BlockCodec& codec() const { return codec_; }

 private:
  BlockCodec codec_;
};

extern const BlockFormat kF32, kF16, kBF16;
extern const BlockFormat kQ4_0, kQ8_0, kQ4_K, kQ5_K, kQ6_K;

// 8-bit floats. parts[0]: codes; parts[1], if there: f32 scale, [] or [rows]; parts[2], if there:
// the file's f32 scale for quantised activations, which weight-only products leave alone.
class Fp8Format final : public Format {
 public:
  constexpr Fp8Format(std::string_view name, const float* values) : name_(name), values_(values) {}

  std::string_view name() const override { return name_; }
  void decode_rows(const Parameter& p, Dim first, Dim count, float* out) const override;
  const float* values() const { return values_; }  // of the 256 codes

 private:
  std::string_view name_;
  const float* values_;
};

extern const Fp8Format kFp8E4M3, kFp8E5M2;

// 8-bit integers times a scale, maybe rotated (Parameter::rotation). parts as in Fp8Format, but the
// scale is always there.
class Int8Format final : public Format {
 public:
  std::string_view name() const override { return "int8"; }
  void decode_rows(const Parameter& p, Dim first, Dim count, float* out) const override;
  ActivationCodes activation(const Parameter& p) const override;
};

extern const Int8Format kInt8;

// What kernels need of a weight with codes and scales; rows of p.cols() codes.
struct Int8View {
  const int8_t* codes;
  const float* scales;  // one per row, or one
  bool per_row;
  Dim rotation;  // columns per group; 0: not rotated
};
struct Fp8View {
  const uint8_t* codes;
  const float* scales;  // one per row, or one, or null: no scale
  bool per_row;
  const float* values;  // of the 256 codes
};
Int8View int8_view(const Parameter& p);  // p.format is kInt8
Fp8View fp8_view(const Parameter& p);    // p.format is kFp8E4M3 or kFp8E5M2

// Nearest code, ties to even; values beyond the largest finite one become that one.
uint8_t float_to_e4m3(float value);
uint8_t float_to_e5m2(float value);

// All formats, in the order of this file.
std::span<const Format* const> formats();
// The formats that GGUF can hold.
std::span<const BlockFormat* const> block_formats();

// How a parameter is stored, in a word or two: "bf16", "fp8_e4m3 tensorwise",
// "int8 rowwise convrot 256".
std::string describe(const Parameter& p);

}  // namespace tintype
