// The CPU backend: AVX2 and AVX-512, chosen at run time.
#pragma once

#include "graph/kernel.h"

namespace tintype {

const Backend& cpu_backend();

}  // namespace tintype
