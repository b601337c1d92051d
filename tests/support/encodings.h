// Ways to store a float weight, for round trips.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/weight_writer.h"
#include "tensor/shape.h"

namespace tintype::test {

struct Encoding {
  std::string_view name;  // "q6_k", "convrot_int8"
  bool in_safetensors, in_gguf;

  // Whether weights of this shape can be stored so; norms and biases stay floats.
  bool (*fits)(const Shape& shape);
  // The tensors of the weight `name` ("X.weight"): itself first, then scale and marker, if any.
  std::vector<TensorEntry> (*entries)(const std::string& name, const Shape& shape);
  // Their bytes, in the same order. `values` are finite.
  std::vector<std::vector<std::byte>> (*encode)(const Shape& shape, std::span<const float> values);
};

std::span<const Encoding> encodings();
const Encoding* find_encoding(std::string_view name);  // null: no such encoding

}  // namespace tintype::test
