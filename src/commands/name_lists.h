// What --list prints.
#pragma once

#include <iosfwd>
#include <string>

namespace tintype {

// `what` is samplers, schedulers or formats. Throws kUsage for anything else.
void print_names(std::ostream& out, const std::string& what, bool json);

}  // namespace tintype
