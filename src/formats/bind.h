// Binds the tensors of a safetensors file into parameters: the codes, scales and marker of a
// quantised layer become one object, and nothing of it may be missing or left over.
#pragma once

#include "formats/safetensors.h"
#include "formats/weight_index.h"

namespace tintype {

// Fills index.parameters and index.others; index.file is set.
void bind_weights(const Safetensors& file, WeightIndex& index);

}  // namespace tintype
