// The table of denoiser families. Adding one adds a line here and a line in families.cpp.
#pragma once

#include <span>

#include "models/family.h"

namespace tintype {

extern const Family kFlux1;

// In the order in which they are tried.
std::span<const Family* const> families();

}  // namespace tintype
