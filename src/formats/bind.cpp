#include "formats/bind.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "formats/formats.h"
#include "formats/hadamard.h"
#include "formats/layers.h"
#include "formats/scaled_rows.h"

namespace tintype {
namespace {

// A quantised weight beyond this has lost its scale, or has a damaged one: codes alone reach 127 to
// 57344, trained weights stay far below.
constexpr float kLargestWeight = 100.0f;
constexpr Dim kMostInt8Terms = 131071;  // of -128 * -128 that a 32-bit sum holds

const BlockFormat* float_format(std::string_view dtype) {
  for (const BlockFormat* format : {&kF32, &kF16, &kBF16})
    if (format->codec().type_name == dtype) return format;
  return nullptr;
}

const Fp8Format* fp8_format(std::string_view dtype) {
  if (dtype == "F8_E4M3") return &kFp8E4M3;
  return dtype == "F8_E5M2" ? &kFp8E5M2 : nullptr;
}

// Of codes without their scale.
float largest_code(const Format& format) {
  if (&format == &kInt8) return 128.0f;
  return &format == &kFp8E4M3 ? 448.0f : 57344.0f;
}

class Binder {
 public:
  Binder(const Safetensors& file, WeightIndex& index) : file_(file), index_(index) {}

  void run() {
    const Layers layers = collect_layers(file_, index_.path());
    for (const auto& [name, layer] : layers.by_name) {
      const std::string weight_name = name + ".weight";
      check_layer(weight_name, layer);
      if (layer.scale.tensor != nullptr) bind_layer(weight_name, layer);
    }
    for (const auto& [name, tensor] : file_.tensors) {
      if (layers.consumed.contains(name) || index_.find(name) != nullptr) continue;
      check_stray(name, layers);
      bind_plain(name, tensor);
    }
  }

 private:
  std::string where(std::string_view name) const {
    return index_.path() + ": " + std::string(name);
  }

  // Nothing of a layer is missing, and its codes are what its marker says.
  void check_layer(const std::string& name, const Layer& layer) const {
    const auto it = file_.tensors.find(name);
    const Companion& companion = layer.scale.tensor ? layer.scale : layer.input_scale;
    check(it != file_.tensors.end(), ErrorCode::kBadFile,
          layer.marker ? layer.marker->where : where(companion.name), ": has no ", name,
          " in the file");
    const std::string& dtype = it->second.dtype;
    const bool plain = float_format(dtype) != nullptr, fp8 = fp8_format(dtype) != nullptr;

    if (layer.marker && layer.marker->kind != Marker::Kind::kNotQuantised) {
      const bool int8 = layer.marker->kind == Marker::Kind::kInt8Codes;
      check(int8 ? dtype == "I8" : fp8, ErrorCode::kBadFile, where(name), ": has ", dtype,
            " values, but its marker needs ", int8 ? "I8" : "F8_E4M3 or F8_E5M2");
    } else if (layer.marker) {
      check(plain && companion.tensor == nullptr, ErrorCode::kBadFile, where(name), ": has ", dtype,
            " values", companion.tensor ? " and a scale" : "", ", but an empty marker");
      return;
    } else {
      check(!plain, ErrorCode::kBadFile, where(companion.name), ": needs a quantised weight, but ",
            name, " has ", dtype, " values");
      if (!fp8) fail_unreadable(name, dtype);
    }
    check(layer.scale.tensor != nullptr, ErrorCode::kBadFile, where(name), ": has ", dtype,
          " codes, but ", name, "_scale is missing");
  }

  // A quantised layer has a bias besides; anything else would change what its codes mean.
  void check_stray(const std::string& name, const Layers& layers) const {
    const size_t dot = name.rfind('.');
    if (dot == std::string::npos || name.ends_with(".bias")) return;
    const auto layer = layers.by_name.find(name.substr(0, dot));
    check(layer == layers.by_name.end() || layer->second.scale.tensor == nullptr,
          ErrorCode::kBadFile, where(name),
          ": belongs to a quantised layer, which has no use for it in this version");
  }

  [[noreturn]] void fail_unreadable(const std::string& name, const std::string& dtype) const {
    check(dtype == "I8" || dtype == "U8", ErrorCode::kBadFile, where(name), ": has ", dtype,
          " values, needs F32, F16, BF16, F8_E4M3, F8_E5M2, or I8 with a marker");
    throw Error(ErrorCode::kBadFile,
                concat_text(where(name), ": has ", dtype,
                            " codes, but needs a comfy_quant marker that says what they mean"),
                "without one nobody can know whether the codes are rotated; look for a file that "
                "was saved by a current version of ComfyUI");
  }

  void bind_layer(const std::string& name, const Layer& layer) {
    const RawTensor& weight = file_.tensors.find(name)->second;
    const Fp8Format* fp8 = fp8_format(weight.dtype);
    Parameter p = parameter(name, weight, fp8 ? static_cast<const Format*>(fp8) : &kInt8);
    check(fp8 || p.shape.rank() >= 2, ErrorCode::kBadFile, where(name), ": has the shape ", p.shape,
          ", needs at least two axes");
    check(fp8 || p.cols() <= kMostInt8Terms, ErrorCode::kBadFile, where(name), ": has ", p.cols(),
          " input columns, 32-bit sums of int8 products hold ", kMostInt8Terms);
    p.parts.push_back(scale_part(layer.scale, p.rows(), p.shape.rank()));
    if (layer.input_scale.tensor) p.parts.push_back(scale_part(layer.input_scale, 1, 1));
    if (layer.marker && layer.marker->rotated) p.rotation = rotation_group(*layer.marker, p);
    p.weight_only = layer.full_precision;
    check_magnitude(p);
    has_scaled_fp8_ = has_scaled_fp8_ || fp8;
    index_.parameters.emplace(name, std::move(p));
  }

  void bind_plain(const std::string& name, const RawTensor& tensor) {
    const Fp8Format* fp8 = fp8_format(tensor.dtype);
    const BlockFormat* plain = float_format(tensor.dtype);
    const bool is_weight =
        name.ends_with(".weight") || name.ends_with(".bias") || name.ends_with(".scale");
    if ((fp8 || plain) && (is_weight || tensor.shape.elements() > 0)) {
      Parameter p = parameter(name, tensor, fp8 ? static_cast<const Format*>(fp8) : plain);
      // Beside scaled layers, a matrix of large codes is one whose scale was lost.
      if (fp8 && has_scaled_fp8_ && p.shape.rank() >= 2) check_magnitude(p);
      index_.parameters.emplace(name, std::move(p));
    } else if (is_weight) {
      fail_unreadable(name, tensor.dtype);
    } else {
      index_.others.emplace(name, tensor);
    }
  }

  Parameter parameter(const std::string& name, const RawTensor& tensor, const Format* format) {
    check(tensor.shape.elements() > 0, ErrorCode::kBadFile, where(name), ": has the shape ",
          tensor.shape, ", which holds nothing");
    const size_t alignment = *safetensors_type_size(tensor.dtype);
    return {.name = name,
            .format = format,
            .shape = tensor.shape,
            .parts = {{index_.aligned(tensor.bytes, alignment), tensor.shape}},
            .file = index_.file};
  }

  // Scales as f32, [] or [rows]; stored as [], [1], [rows] or [rows, 1, …] with the weight's rank.
  Part scale_part(const Companion& companion, Dim rows, int weight_rank) {
    const auto& [dtype, shape, bytes] = *companion.tensor;
    const BlockFormat* format = float_format(dtype);
    check(format != nullptr, ErrorCode::kBadFile, where(companion.name), ": has ", dtype,
          " values, needs F32, F16 or BF16");
    const Dim n = shape.elements();
    const bool one = n == 1 && shape.rank() <= 2;
    const bool per_row = shape.rank() >= 1 && shape[0] == rows && n == rows &&
                         (shape.rank() <= 2 || shape.rank() == weight_rank);
    check(one || per_row, ErrorCode::kBadFile, where(companion.name), ": has the shape ", shape,
          ", needs [] or [", rows, ", 1]");

    std::vector<float>& values = index_.owned.emplace_back(static_cast<size_t>(n));
    const auto source = index_.aligned(bytes, format->codec().bytes);
    format->codec().decode(source.data(), n, values.data());
    const auto bad = std::find_if(values.begin(), values.end(),
                                  [](float v) { return !std::isfinite(v) || v < 0.0f; });
    if (bad != values.end())
      fail(ErrorCode::kBadFile, where(companion.name), ": holds ", *bad,
           ", needs finite values of at least 0");
    return {std::as_bytes(std::span(values)), n == 1 ? Shape{} : Shape{n}};
  }

  Dim rotation_group(const Marker& marker, const Parameter& p) const {
    const Dim inputs = p.shape[1];
    Dim group = marker.group;
    // Old files say 256 where the layer is narrower; their writer shrank to 128 too, which no
    // rotation has.
    if (inputs < group && (inputs == 16 || inputs == 64 || inputs == 128)) group = inputs;
    check(is_rotation_group(group), ErrorCode::kBadFile, where(p.name), ": has rotation groups of ",
          group, " columns, needs 4, 16, 64, 256 or 1024");
    check(inputs % group == 0, ErrorCode::kBadFile, where(p.name), ": has ", inputs,
          " input columns, needs a multiple of its rotation group, ", group);
    return group;
  }

  // Looks at the codes of a row only where its scale alone cannot vouch for it.
  void check_magnitude(const Parameter& p) const {
    Parameter stored = p;
    stored.rotation = 0;
    const float* scale_of = scales(p);
    std::vector<float> row(static_cast<size_t>(p.cols()));
    for (Dim r = 0; r < p.rows(); ++r) {
      const float scale = scale_of ? scale_of[has_row_scales(p) ? r : 0] : 1.0f;
      if (scale * largest_code(*p.format) <= kLargestWeight) continue;
      p.format->decode_rows(stored, r, 1, row.data());
      const float largest = *std::max_element(
          row.begin(), row.end(), [](float x, float y) { return std::fabs(x) < std::fabs(y); });
      if (!(std::fabs(largest) <= kLargestWeight))
        fail(ErrorCode::kBadFile, where(p.name), ": holds a weight of ", largest, ", at most ",
             kLargestWeight, " is plausible: its scale is missing or damaged");
    }
  }

  const Safetensors& file_;
  WeightIndex& index_;
  bool has_scaled_fp8_ = false;
};

}  // namespace

void bind_weights(const Safetensors& file, WeightIndex& index) { Binder(file, index).run(); }

}  // namespace tintype
