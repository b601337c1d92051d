// Files of models that tintype does not run, told by their tensor names, so that a refusal can call
// them by their name.
#pragma once

#include <string_view>

#include "formats/weight_index.h"

namespace tintype {

// Throws kBadFile, with its name, if the file is a known model that we do not run.
void refuse_stranger(const WeightIndex& index);
// Throws kBadFile if what looks like a denoiser below `prefix` is a relative of that family, told
// by a name.
void refuse_relative(const WeightIndex& index, std::string_view prefix);

}  // namespace tintype
