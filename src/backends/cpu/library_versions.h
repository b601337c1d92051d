// Versions of the libraries that this backend computes with.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tintype::cpu {

// {"oneDNN", "2.6.3"}, …
std::vector<std::pair<std::string, std::string>> library_versions();

}  // namespace tintype::cpu
