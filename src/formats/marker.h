// What a safetensors file says about how a layer is quantised: the JSON of a `comfy_quant` tensor,
// or of one entry of the header's `_quantization_metadata`.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tensor/shape.h"

namespace tintype {

struct Marker {
  enum class Kind { kNotQuantised, kFp8Codes, kInt8Codes };

  Kind kind = Kind::kNotQuantised;
  bool full_precision = false;  // asks for plain float products
  bool rotated = false;
  Dim group = 256;    // columns per rotation group, as the file says
  std::string where;  // for messages: "FILE: X.comfy_quant"

  bool agrees_with(const Marker& other) const {
    return kind == other.kind && full_precision == other.full_precision &&
           rotated == other.rotated && (!rotated || group == other.group);
  }
};

// The text of a marker; NUL padding is ignored, and an empty text means: not quantised. A format
// that this version does not read is an error that names it.
Marker parse_marker(std::string_view text, const std::string& where);

// All layers of `_quantization_metadata`, under the names that it gives.
std::map<std::string, Marker> parse_quantization_metadata(std::string_view text,
                                                          const std::string& path);

}  // namespace tintype
