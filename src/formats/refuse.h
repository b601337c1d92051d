// Files that are no weight files: what they are instead, in words.
#pragma once

#include "base/os.h"

namespace tintype {

// Throws kBadFile for a file that is neither safetensors nor GGUF, naming what it is where that can
// be told: a pickle, an archive, a web page, a Git-LFS pointer, text, nothing.
[[noreturn]] void refuse_content(const File& file);

}  // namespace tintype
