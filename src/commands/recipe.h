// Recipes: JSON files that name the files of a model and the values that suit it.
//
//   {"files": ["denoiser.safetensors", …], "defaults": {"width": 128, "steps": 20, …}}
//
// Paths are relative to the recipe's folder; the keys of `defaults` are those of request_fields.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tintype/request.h"

namespace tintype {

struct Recipe {
  std::vector<std::string> files;  // full paths
  Request defaults;                // the values that the recipe sets; the others are untouched
  std::vector<std::string> keys;   // of request_fields(): which those are
};

// Throws kUsage if there is no such file, kBadFile naming the key that is wrong in it.
Recipe read_recipe(const std::string& path);
Recipe parse_recipe(std::string_view text, const std::string& path);

}  // namespace tintype
