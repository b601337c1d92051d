// Which tensors of a safetensors file belong to one quantised layer.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "formats/marker.h"
#include "formats/safetensors.h"

namespace tintype {

struct Companion {
  std::string name;  // as in the file
  const RawTensor* tensor = nullptr;
};

// Everything but the weight itself.
struct Layer {
  std::optional<Marker> marker;
  Companion scale, input_scale;
  bool full_precision = false;  // by the marker, or by the old marker of the whole file
};

struct Layers {
  std::map<std::string, Layer> by_name;         // "double_blocks.0.img_attn.qkv"
  std::set<std::string, std::less<>> consumed;  // tensors that are parts of them
};

// Reads embedded and header-level markers, the old scaled_fp8 marker, and both spellings of scales.
// Throws kBadFile for contradictions and for quantisations that this version does not read.
Layers collect_layers(const Safetensors& file, const std::string& path);

}  // namespace tintype
