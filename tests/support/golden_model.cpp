#include "support/golden_model.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "formats/arrays.h"
#include "sampling/noise.h"
#include "support/memory_file.h"
#include "support/test_data.h"

namespace tintype::test {
namespace {

using Json = nlohmann::json;

Shape shape_from(const Json& dims) {
  return Shape(std::span<const Dim>(dims.get<std::vector<Dim>>()));
}

// As `scaled` of tools/golden/models.py.
Array weight(const std::string& name, const Shape& shape, uint64_t seed) {
  Array x = cpu_noise(seed, shape);
  if (shape.rank() > 1) {
    const auto fan_in = static_cast<double>(shape.elements() / shape[0]);
    for (float& v : x.values()) v /= static_cast<float>(std::sqrt(fan_in));
  } else {
    const float base = name.ends_with("weight") ? 1.0f : 0.0f;
    for (float& v : x.values()) v = base + 0.1f * v;
  }
  return x;
}

Array tokens_from(const Json& rows) {
  Array out({static_cast<Dim>(rows.size()), static_cast<Dim>(rows[0].size())}, DType::kI32);
  size_t i = 0;
  for (const Json& row : rows)
    for (const Json& id : row) out.values<int32_t>()[i++] = id.get<int32_t>();
  return out;
}

NamedArrays inputs_from(const Json& inputs) {
  NamedArrays out;
  // JSON in the file keeps the order in which the script drew; the names say which seed is whose
  const auto drawn = inputs.value("drawn", Json::object());
  const std::vector<std::string> order{"x", "context", "y", "latent", "image"};
  uint64_t seed = 1000;
  for (const std::string& name : order)
    if (drawn.contains(name)) out.emplace(name, cpu_noise(seed++, shape_from(drawn[name])));
  const auto given = inputs.value("values", Json::object());
  for (const auto& [name, values] : given.items()) {
    const auto list = values.get<std::vector<float>>();
    out.emplace(name, Array({static_cast<Dim>(list.size())}, list));
  }
  if (inputs.contains("tokens")) out.emplace("tokens", tokens_from(inputs["tokens"]));
  return out;
}

}  // namespace

GoldenModel golden_model(const std::string& name) {
  const auto file = File::open(golden("models/" + name + ".safetensors"));
  const auto golden = parse_weights(file);
  GoldenModel out;
  out.outputs = parse_arrays(*file);
  out.inputs = inputs_from(Json::parse(*golden->meta<std::string>("inputs")));
  NamedArrays weights;
  uint64_t seed = 0;
  const Json shapes = Json::parse(*golden->meta<std::string>("weights"));
  for (const auto& [key, dims] : shapes.items())
    weights.emplace(key, weight(key, shape_from(dims), seed++));
  out.index = parse_weights(memory_file(write_arrays(weights), name));
  return out;
}

}  // namespace tintype::test
