// Finds the weight files that a picture was made with: the same name, size and header, in any of
// some places.
#pragma once

#include <span>
#include <string>

#include "commands/picture_record.h"

namespace tintype {

// `places` are files and folders. Empty if the file is in none of them.
std::string find_recorded(const FileRecord& file, std::span<const std::string> places);

}  // namespace tintype
