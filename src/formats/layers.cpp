#include "formats/layers.h"

#include <algorithm>
#include <vector>

#include "base/error.h"

namespace tintype {
namespace {

// Companions of quantisations that this version does not read.
struct ForeignSuffix {
  std::string_view suffix, title;
};
constexpr ForeignSuffix kForeign[] = {{".weight_scale_2", "NVFP4"},
                                      {".pre_quant_scale", "AWQ"},
                                      {".smooth_factor", "SVDQuant"},
                                      {".wscales", "Nunchaku SVDQuant"},
                                      {".weight_zeros", "AWQ"},
                                      {".weight_zero", "AWQ"},
                                      {".weight_s_rel", "asymmetric W4A8"},
                                      {".weight_codebook", "asymmetric W4A8"},
                                      {".qweight", "GPTQ, AWQ or SVDQuant"},
                                      {".qzeros", "GPTQ or AWQ"},
                                      {".absmax", "bitsandbytes"},
                                      {".quant_map", "bitsandbytes"},
                                      {".SCB", "bitsandbytes"},
                                      {".int8_weight", "TurboDiffusion"}};

// Both spellings of a companion: today's, and that of files from 2024 and 2025.
struct Spelling {
  std::string_view suffix;
  Companion Layer::*slot;
};
constexpr Spelling kSpellings[] = {{".weight_scale", &Layer::scale},
                                   {".scale_weight", &Layer::scale},
                                   {".input_scale", &Layer::input_scale},
                                   {".scale_input", &Layer::input_scale}};

constexpr std::string_view kMarker = ".comfy_quant", kOldMarker = "scaled_fp8";

// What `_quantization_metadata` may put before a layer's name, or leave out.
constexpr std::string_view kPrefixes[] = {"model.diffusion_model.", "diffusion_model.", "model.",
                                          "net."};

class Collector {
 public:
  Collector(const Safetensors& file, const std::string& path) : file_(file), path_(path) {}

  Layers run() {
    for (const auto& [name, tensor] : file_.tensors)
      if (name.ends_with(kMarker)) take_marker(name, tensor);
    take_metadata();
    for (const auto& [name, tensor] : file_.tensors) {
      for (const ForeignSuffix& foreign : kForeign)
        if (name.ends_with(foreign.suffix))
          fail(ErrorCode::kBadFile, where(name), ": belongs to ", foreign.title,
               " quantisation, which this version does not read");
      for (const Spelling& spelling : kSpellings)
        if (name.ends_with(spelling.suffix)) take_companion(name, tensor, spelling);
    }
    for (const auto& [name, tensor] : file_.tensors)
      if (name == kOldMarker || name.ends_with(".scaled_fp8")) take_old_marker(name, tensor);
    return std::move(layers_);
  }

 private:
  std::string where(std::string_view name) const { return path_ + ": " + std::string(name); }

  void take_marker(const std::string& name, const RawTensor& tensor) {
    check(tensor.dtype == "U8" && tensor.shape.rank() == 1, ErrorCode::kBadFile, where(name),
          ": has ", tensor.dtype, " ", tensor.shape, ", needs JSON text as U8 with one axis");
    const std::string_view text(reinterpret_cast<const char*>(tensor.bytes.data()),
                                tensor.bytes.size());
    Layer& layer = layers_.by_name[name.substr(0, name.size() - kMarker.size())];
    layer.marker = parse_marker(text, where(name));
    layer.full_precision = layer.marker->full_precision;
    layers_.consumed.insert(name);
  }

  void take_metadata() {
    const auto it = file_.metadata.find("_quantization_metadata");
    if (it == file_.metadata.end()) return;
    for (const auto& [name, marker] : parse_quantization_metadata(it->second, path_)) {
      Layer& layer = layers_.by_name[resolve(name, marker)];
      check(!layer.marker || layer.marker->agrees_with(marker), ErrorCode::kBadFile, marker.where,
            ": contradicts what the same file says of this layer elsewhere");
      if (layer.marker) continue;
      layer.marker = marker;
      layer.full_precision = marker.full_precision;
    }
  }

  // The name in this file of the layer that `_quantization_metadata` calls `name`.
  std::string resolve(const std::string& name, const Marker& marker) const {
    std::vector<std::string> spellings = {name};
    for (const std::string_view prefix : kPrefixes) {
      spellings.push_back(std::string(prefix) + name);
      if (name.starts_with(prefix)) spellings.push_back(name.substr(prefix.size()));
    }
    for (const std::string& spelling : spellings)
      if (file_.tensors.contains(spelling + ".weight")) return spelling;
    fail(ErrorCode::kBadFile, marker.where, ": has no weight in the file");
  }

  void take_companion(const std::string& name, const RawTensor& tensor, const Spelling& spelling) {
    Layer& layer = layers_.by_name[name.substr(0, name.size() - spelling.suffix.size())];
    Companion& companion = layer.*spelling.slot;
    check(companion.tensor == nullptr, ErrorCode::kBadFile, where(name), ": is the same as ",
          companion.name, ", but only one of them may be there");
    companion = {name, &tensor};
    layers_.consumed.insert(name);
  }

  // "PREFIX.scaled_fp8": two elements ask for plain float products under that prefix.
  void take_old_marker(const std::string& name, const RawTensor& tensor) {
    const std::string prefix = name.substr(0, name.size() - kOldMarker.size());
    bool used = false;
    for (auto& [layer_name, layer] : layers_.by_name) {
      if (!layer_name.starts_with(prefix) || layer.scale.tensor == nullptr) continue;
      used = true;
      layer.full_precision = layer.full_precision || tensor.shape.elements() == 2;
    }
    check(used, ErrorCode::kBadFile, where(name), ": has no scaled layer in the file");
    layers_.consumed.insert(name);
  }

  const Safetensors& file_;
  const std::string& path_;
  Layers layers_;
};

}  // namespace

Layers collect_layers(const Safetensors& file, const std::string& path) {
  return Collector(file, path).run();
}

}  // namespace tintype
