#include "base/error.h"

#include <cstdio>
#include <cstdlib>

namespace tintype {

void assertion_failed(const char* what, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, what);
  std::abort();
}

}  // namespace tintype
