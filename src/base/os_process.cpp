#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>

#include "base/os.h"

namespace tintype {

void restart_with_variable(const char* name, const char* value, char** argv) {
  if (std::getenv(name) != nullptr) return;
  std::error_code error;
  // The real path: the process keeps its name in lists of processes.
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  if (error || setenv(name, value, /*overwrite=*/0) != 0) return;
  execv(program.c_str(), argv);
}

}  // namespace tintype
