// Where the files that come with the program are.
#pragma once

#include <string>

namespace tintype {

// The recipe that is used where no model is named: nano/nano.json in the folder `option`
// (--assets) if it is not empty, else in $TINTYPE_ASSETS, else in `assets` beside the executable or
// up to two folders above it, else in ../share/tintype. Throws kUsage saying where it looked.
std::string default_recipe(const std::string& option);

// The folder of that recipe; empty if there is none.
std::string default_model_folder(const std::string& option);

}  // namespace tintype
