#include <unistd.h>

#include "base/os.h"

namespace tintype {

bool output_is_terminal() { return isatty(STDOUT_FILENO) != 0; }
bool error_is_terminal() { return isatty(STDERR_FILENO) != 0; }

}  // namespace tintype
