// Version of the program.
#pragma once

#include <string_view>

namespace tintype {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace tintype
