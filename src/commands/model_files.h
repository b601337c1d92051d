// What -m stands for.
#pragma once

#include <string>
#include <vector>

#include "commands/recipe.h"

namespace tintype {

// Each of `paths` is a weight file, a recipe (NAME.json), or a folder, which stands for its recipe
// (FOLDER/FOLDER.json) or, without one, for all weight files in it. Of several recipes the later
// defaults win. Throws kUsage for what is not there or is empty, kBadFile for a broken recipe.
Recipe expand_models(const std::vector<std::string>& paths);

}  // namespace tintype
