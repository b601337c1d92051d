// Ways to raise tintype::Error, and the assertion for broken invariants.
#pragma once

#include <sstream>
#include <string>
#include <string_view>

#include "tintype/error.h"

namespace tintype {

// "img_in: has ", 3, " rows" -> one string.
template <class... Parts>
std::string concat_text(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

template <class... Parts>
[[noreturn]] void fail(ErrorCode code, const Parts&... parts) {
  throw Error(code, concat_text(parts...));
}

// The parts are evaluated even if all is well: they must be there, and cheap.
template <class... Parts>
void check(bool ok, ErrorCode code, const Parts&... parts) {
  if (!ok) fail(code, parts...);
}

// Prints the broken invariant and aborts; never used on anything that comes from outside.
[[noreturn]] void assertion_failed(const char* what, const char* file, int line);

}  // namespace tintype

#define TINTYPE_ASSERT(ok) \
  ((ok) ? static_cast<void>(0) : ::tintype::assertion_failed(#ok, __FILE__, __LINE__))
