// Models whose weights are drawn again, and what the public reference makes of them:
// tools/golden/models.py.
#pragma once

#include <memory>
#include <string>

#include "formats/weight_index.h"
#include "tensor/array.h"

namespace tintype::test {

struct GoldenModel {
  std::shared_ptr<const WeightIndex> index;
  NamedArrays inputs, outputs;
};

// tests/golden/models/NAME.safetensors.
GoldenModel golden_model(const std::string& name);

}  // namespace tintype::test
