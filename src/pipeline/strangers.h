// Files of models that tintype does not run, told by their tensor names, so that a refusal can call
// them by their name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "formats/weight_index.h"

namespace tintype {

struct Stranger {
  std::string_view name;  // "Stable Diffusion 3"
  std::string sign;       // the tensor that told
};

// What the file holds besides models that we run, or instead of them.
std::optional<Stranger> find_stranger(const WeightIndex& index);
// Throws kBadFile if there is one.
void refuse_stranger(const WeightIndex& index);

}  // namespace tintype
