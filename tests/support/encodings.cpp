#include "support/encodings.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/parallel.h"
#include "formats/formats.h"
#include "formats/hadamard.h"

namespace tintype::test {
namespace {

using Bytes = std::vector<std::byte>;

constexpr Dim kGrain = 16;           // rows that a thread takes at least
constexpr size_t kMarkerSize = 128;  // bytes, padded with spaces: what follows stays aligned
constexpr float kSmallestScale = 1e-30f;

Dim rows_of(const Shape& shape) { return shape.rank() < 2 ? 1 : shape[0]; }
Dim cols_of(const Shape& shape) { return shape.elements() / rows_of(shape); }
bool is_matrix(const Shape& shape) { return shape.rank() == 2; }

// "X.weight" and "weight_scale" -> "X.weight_scale".
std::string sibling(const std::string& name, std::string_view last) {
  return name.substr(0, name.rfind('.') + 1) + std::string(last);
}

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

Bytes marker_bytes(std::string json) {
  json.resize(kMarkerSize, ' ');
  const auto bytes = std::as_bytes(std::span(json));
  return {bytes.begin(), bytes.end()};
}

template <const BlockFormat& kFormat>
bool block_fits(const Shape& shape) {
  const Dim values = kFormat.codec().values;
  return values == 1 || (is_matrix(shape) && shape.cols() % values == 0);
}

template <const BlockFormat& kFormat>
std::vector<TensorEntry> block_entries(const std::string& name, const Shape& shape) {
  return {{name, std::string(kFormat.codec().type_name), shape}};
}

template <const BlockFormat& kFormat>
std::vector<Bytes> block_encode(const Shape& shape, std::span<const float> values) {
  const BlockCodec& codec = kFormat.codec();
  const Dim blocks = shape.elements() / codec.values;
  Bytes out(static_cast<size_t>(blocks) * codec.bytes);
  parallel_ranges(blocks, kGrain, [&](Dim begin, Dim end) {
    codec.encode(values.data() + begin * codec.values, end - begin,
                 out.data() + static_cast<size_t>(begin) * codec.bytes);
  });
  return {std::move(out)};
}

template <const BlockFormat& kFormat>
constexpr Encoding block_encoding(std::string_view name, bool in_safetensors) {
  return {name,
          in_safetensors,
          true,
          block_fits<kFormat>,
          block_entries<kFormat>,
          block_encode<kFormat>};
}

float largest(std::span<const float> values) {
  float peak = 0.0f;
  for (const float v : values) peak = std::max(peak, std::fabs(v));
  return peak;
}

// One byte a weight: code(value / scale).
Bytes fp8_codes(std::span<const float> values, float scale, uint8_t (*code)(float)) {
  Bytes out(values.size());
  std::transform(values.begin(), values.end(), out.begin(),
                 [&](float v) { return std::byte{code(v / scale)}; });
  return out;
}

std::vector<TensorEntry> scaled_fp8_entries(const std::string& name, const Shape& shape) {
  return {{name, "F8_E4M3", shape},
          {sibling(name, "weight_scale"), "F32", {}},
          {sibling(name, "comfy_quant"), "U8", {Dim{kMarkerSize}}}};
}

std::vector<Bytes> scaled_fp8_encode(const Shape&, std::span<const float> values) {
  const float peak = largest(values);
  const float scale = peak > 0.0f ? peak / 448.0f : 1.0f;
  return {fp8_codes(values, scale, float_to_e4m3), bytes_of(std::vector<float>{scale}),
          marker_bytes(R"({"format": "float8_e4m3fn"})")};
}

// The widest rotation that divides a row; 0: none does.
Dim rotation_for(const Shape& shape) {
  for (const Dim group : {256, 64, 16, 4})
    if (shape.cols() % group == 0) return group;
  return 0;
}

std::vector<TensorEntry> int8_entries(const std::string& name, const Shape& shape) {
  return {{name, "I8", shape},
          {sibling(name, "weight_scale"), "F32", {rows_of(shape), 1}},
          {sibling(name, "comfy_quant"), "U8", {Dim{kMarkerSize}}}};
}

// `row` is rotated in place, then coded with one scale.
float int8_row(std::span<float> row, Dim group, int8_t* codes) {
  if (group != 0) rotate_row(row.data(), static_cast<Dim>(row.size()), group);
  const float scale = std::max(largest(row) / 127.0f, kSmallestScale);
  for (const float v : row)
    *codes++ = static_cast<int8_t>(std::clamp(std::nearbyint(v / scale), -127.0f, 127.0f));
  return scale;
}

std::vector<Bytes> int8_with_group(const Shape& shape, std::span<const float> values, Dim group) {
  const Dim rows = rows_of(shape), cols = cols_of(shape);
  std::vector<int8_t> codes(values.size());
  std::vector<float> scales(static_cast<size_t>(rows));
  parallel_ranges(rows, kGrain, [&](Dim begin, Dim end) {
    std::vector<float> row(static_cast<size_t>(cols));
    for (Dim r = begin; r < end; ++r) {
      std::copy_n(values.data() + r * cols, cols, row.data());
      scales[static_cast<size_t>(r)] = int8_row(row, group, codes.data() + r * cols);
    }
  });
  std::string marker = R"({"format": "int8_tensorwise")";
  if (group != 0) marker += R"(, "convrot": true, "convrot_groupsize": )" + std::to_string(group);
  return {bytes_of(codes), bytes_of(scales), marker_bytes(marker + "}")};
}

constexpr Encoding kEncodings[] = {
    block_encoding<kF32>("f32", true),
    block_encoding<kF16>("f16", true),
    block_encoding<kBF16>("bf16", true),
    {"fp8_e4m3", true, false, is_matrix,
     [](const std::string& name, const Shape& shape) -> std::vector<TensorEntry> {
       return {{name, "F8_E4M3", shape}};
     },
     [](const Shape&, std::span<const float> values) -> std::vector<Bytes> {
       return {fp8_codes(values, 1.0f, float_to_e4m3)};
     }},
    {"fp8_e5m2", true, false, is_matrix,
     [](const std::string& name, const Shape& shape) -> std::vector<TensorEntry> {
       return {{name, "F8_E5M2", shape}};
     },
     [](const Shape&, std::span<const float> values) -> std::vector<Bytes> {
       return {fp8_codes(values, 1.0f, float_to_e5m2)};
     }},
    {"fp8_scaled", true, false, is_matrix, scaled_fp8_entries, scaled_fp8_encode},
    {"int8", true, false, is_matrix, int8_entries,
     [](const Shape& shape, std::span<const float> values) {
       return int8_with_group(shape, values, 0);
     }},
    {"convrot_int8", true, false,
     [](const Shape& shape) { return is_matrix(shape) && rotation_for(shape) != 0; }, int8_entries,
     [](const Shape& shape, std::span<const float> values) {
       return int8_with_group(shape, values, rotation_for(shape));
     }},
    block_encoding<kQ4_0>("q4_0", false),
    block_encoding<kQ8_0>("q8_0", false),
    block_encoding<kQ4_K>("q4_k", false),
    block_encoding<kQ5_K>("q5_k", false),
    block_encoding<kQ6_K>("q6_k", false),
};

}  // namespace

std::span<const Encoding> encodings() { return kEncodings; }

const Encoding* find_encoding(std::string_view name) {
  const auto all = encodings();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const Encoding& e) { return e.name == name; });
  return it == all.end() ? nullptr : &*it;
}

}  // namespace tintype::test
