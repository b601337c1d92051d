#include "commands/synth_file.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/error.h"
#include "base/nearest_name.h"
#include "base/parallel.h"
#include "commands/synth_values.h"
#include "formats/formats.h"
#include "formats/gguf_writer.h"
#include "formats/safetensors_writer.h"

namespace tintype {
namespace {

constexpr size_t kPiece = size_t{1} << 22;  // values made at a time; a multiple of every block
constexpr float kCodeSigma = 32;            // of int8 codes: 127 is four deviations away

// A stored tensor and how its bytes are made.
struct Stored {
  TensorEntry entry;
  std::function<void(WeightWriter&)> write;
};

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values, size_t count) {
  return std::as_bytes(std::span(values).first(count));
}

class Writer {
 public:
  Writer(uint64_t seed, const CancelFlag* cancel) : seed_(seed), cancel_(cancel) {}

  // A tensor of plain floats or of GGUF blocks.
  void add_blocks(const SynthTensor& tensor, const BlockFormat& format) {
    const BlockCodec& codec = format.codec();
    add(tensor.name, std::string(codec.type_name), tensor.shape, [=, this](WeightWriter& out) {
      pieces(tensor, [&](const std::vector<float>& values, size_t count) {
        const auto blocks = static_cast<Dim>(count) / codec.values;
        coded_.resize(static_cast<size_t>(blocks) * codec.bytes);
        parallel_ranges(blocks, 1024, [&](int64_t begin, int64_t end) {
          codec.encode(values.data() + begin * codec.values, end - begin,
                       coded_.data() + static_cast<size_t>(begin) * codec.bytes);
        });
        out.write(coded_);
      });
    });
  }

  // E4M3 codes of the values times `factor`.
  void add_fp8(const SynthTensor& tensor, float factor) {
    add(tensor.name, "F8_E4M3", tensor.shape, [=, this](WeightWriter& out) {
      pieces(tensor, [&](const std::vector<float>& values, size_t count) {
        coded_.resize(count);
        parallel_for(static_cast<int64_t>(count), [&](int64_t i) {
          const auto at = static_cast<size_t>(i);
          coded_[at] = std::byte{float_to_e4m3(values[at] * factor)};
        });
        out.write(coded_);
      });
    });
  }

  // Normal codes; with a rotation they are those of a rotated weight.
  void add_int8(const SynthTensor& tensor) {
    SynthTensor codes = tensor;
    codes.mean = 0;
    codes.sigma = kCodeSigma;
    add(tensor.name, "I8", tensor.shape, [=, this](WeightWriter& out) {
      pieces(codes, [&](const std::vector<float>& values, size_t count) {
        coded_.resize(count);
        parallel_for(static_cast<int64_t>(count), [&](int64_t i) {
          const auto at = static_cast<size_t>(i);
          const long code = std::clamp(std::lrint(values[at]), -127L, 127L);
          coded_[at] = static_cast<std::byte>(code);
        });
        out.write(coded_);
      });
    });
  }

  void add_constant(const std::string& name, const Shape& shape, float value) {
    add(name, "F32", shape, [=](WeightWriter& out) {
      const std::vector<float> values(static_cast<size_t>(shape.elements()), value);
      out.write(bytes_of(values, values.size()));
    });
  }

  void add_marker(const std::string& name, const std::string& json) {
    add(name, "U8", {static_cast<Dim>(json.size())},
        [=](WeightWriter& out) { out.write(std::as_bytes(std::span(json))); });
  }

  void write_as_safetensors(const std::string& path) {
    // Wide elements first, so that every tensor starts at a multiple of its element's size.
    std::ranges::stable_sort(stored_, std::greater{}, [](const Stored& s) {
      return s.entry.type == "F32" ? 4 : s.entry.type.ends_with("16") ? 2 : 1;
    });
    write_all(write_safetensors(path, entries()));
  }

  void write_as_gguf(const std::string& path) {
    write_all(write_gguf(path, entries(), {{"general.name", std::string("random weights")}}));
  }

 private:
  void add(const std::string& name, std::string type, const Shape& shape,
           std::function<void(WeightWriter&)> write) {
    stored_.push_back({{name, std::move(type), shape}, std::move(write)});
  }

  // Calls use(values, count) on the tensor's values, piece by piece.
  void pieces(const SynthTensor& tensor,
              const std::function<void(const std::vector<float>&, size_t)>& use) {
    const auto total = static_cast<size_t>(tensor.shape.elements());
    const NormalValues normal(seed_, tensor.name, tensor.mean, tensor.sigma);
    values_.resize(kPiece);
    for (size_t done = 0; done < total; done += kPiece) {
      stop_if_cancelled(cancel_);
      const size_t count = std::min(kPiece, total - done);
      normal.fill(done, std::span(values_).first(count));
      use(values_, count);
    }
  }

  std::vector<TensorEntry> entries() const {
    std::vector<TensorEntry> list;
    for (const Stored& s : stored_) list.push_back(s.entry);
    return list;
  }

  void write_all(WeightWriter out) const {
    for (const Stored& s : stored_) s.write(out);
    out.commit();
  }

  uint64_t seed_;
  const CancelFlag* cancel_;
  std::vector<Stored> stored_;
  std::vector<float> values_;
  std::vector<std::byte> coded_;
};

// ---- one function per way to store a matrix inside a block ----

std::string module_of(const SynthTensor& weight) {
  return weight.name.substr(0, weight.name.rfind('.'));
}

void add_fp8_scaled(Writer& out, const SynthTensor& weight) {
  const float spread = 64 / weight.sigma;  // to use the range of E4M3, +-448
  out.add_fp8(weight, spread);
  out.add_constant(module_of(weight) + ".weight_scale", {}, 1 / spread);
  out.add_marker(module_of(weight) + ".comfy_quant", R"({"format": "float8_e4m3fn"})");
}

void add_int8_rows(Writer& out, const SynthTensor& weight, const std::string& rotation) {
  out.add_int8(weight);
  out.add_constant(module_of(weight) + ".weight_scale", {weight.shape[0], 1},
                   weight.sigma / kCodeSigma);
  out.add_marker(module_of(weight) + ".comfy_quant",
                 R"({"format": "int8_tensorwise")" + rotation + "}");
}

void add_int8_convrot(Writer& out, const SynthTensor& weight) {
  const Dim columns = weight.shape[1];
  const Dim group = columns % 256 == 0 ? 256 : columns % 64 == 0 ? 64 : 16;
  check(columns % group == 0, ErrorCode::kUsage, weight.name, ": has ", columns,
        " columns, a rotation needs a multiple of 16");
  add_int8_rows(out, weight, concat_text(R"(, "convrot": true, "convrot_groupsize": )", group));
}

template <const BlockFormat& kFormat>
void add_as(Writer& out, const SynthTensor& weight) {
  const bool fits = weight.shape.cols() % kFormat.codec().values == 0;
  out.add_blocks(weight, fits ? kFormat : kF16);
}

struct SynthFormat {
  std::string_view name;
  bool gguf;
  const BlockFormat* others;  // of matrices outside blocks; vectors in GGUF are f32
  void (*add)(Writer& out, const SynthTensor& weight);
};

constexpr SynthFormat kFormats[] = {
    {"f32", false, &kF32, add_as<kF32>},
    {"f16", false, &kF16, add_as<kF16>},
    {"bf16", false, &kBF16, add_as<kBF16>},
    {"fp8", false, &kBF16, [](Writer& out, const SynthTensor& w) { out.add_fp8(w, 1); }},
    {"fp8-scaled", false, &kBF16, add_fp8_scaled},
    {"int8", false, &kBF16, [](Writer& out, const SynthTensor& w) { add_int8_rows(out, w, ""); }},
    {"int8-convrot", false, &kBF16, add_int8_convrot},
    {"q4_0", true, &kF16, add_as<kQ4_0>},
    {"q8_0", true, &kF16, add_as<kQ8_0>},
    {"q4_k", true, &kF16, add_as<kQ4_K>},
    {"q5_k", true, &kF16, add_as<kQ5_K>},
    {"q6_k", true, &kF16, add_as<kQ6_K>},
};

const SynthFormat& find_format(std::string_view name) {
  return find_named("--format", name, std::span<const SynthFormat>(kFormats));
}

}  // namespace

std::vector<std::string_view> synth_formats() {
  std::vector<std::string_view> names;
  for (const SynthFormat& format : kFormats) names.push_back(format.name);
  return names;
}

bool is_gguf(std::string_view format) { return find_format(format).gguf; }

void write_synth(const std::string& path, std::span<const SynthTensor> tensors,
                 std::string_view format_name, uint64_t seed, const CancelFlag* cancel) {
  const SynthFormat& format = find_format(format_name);
  Writer out(seed, cancel);
  for (const SynthTensor& tensor : tensors) {
    const bool vector = tensor.shape.rank() == 1;
    if (tensor.in_block)
      format.add(out, tensor);
    else
      out.add_blocks(tensor, format.gguf && vector ? kF32 : *format.others);
  }
  if (format.gguf)
    out.write_as_gguf(path);
  else
    out.write_as_safetensors(path);
}

}  // namespace tintype
