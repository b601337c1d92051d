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

// What the file is instead of a model that we run.
std::optional<Stranger> find_stranger(const WeightIndex& index);
// Throws kBadFile if there is one.
void refuse_stranger(const WeightIndex& index);
// Throws kBadFile if what looks like a denoiser below `prefix` is a relative of that family, told
// by a name.
void refuse_relative(const WeightIndex& index, std::string_view prefix);

}  // namespace tintype
