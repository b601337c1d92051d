// The one exception type of the program.
#pragma once

#include <stdexcept>
#include <string>

namespace tintype {

// The number is the exit code of the command line.
enum class ErrorCode {
  kFailed = 1,       // the job failed
  kUsage = 2,        // the request makes no sense
  kBadFile = 3,      // a file is at fault
  kMachine = 4,      // this machine cannot: memory, CPU, device
  kCancelled = 130,  // somebody asked to stop
};

// One sentence that names the thing, what it has and what it needs; then, maybe, a hint.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message, std::string hint = {})
      : std::runtime_error(message), code_(code), hint_(std::move(hint)) {}

  ErrorCode code() const { return code_; }
  const std::string& hint() const { return hint_; }

 private:
  ErrorCode code_;
  std::string hint_;
};

}  // namespace tintype
