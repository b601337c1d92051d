// The program: runs the command line and turns what goes wrong into one sentence and an exit code.
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>

#include "base/os.h"
#include "commands/commands.h"
#include "tintype/error.h"

int main(int argc, char** argv) {
  // How long threads spin before they sleep while they wait for each other, in rounds of some 50
  // ns; OpenMP's own 300,000 make a job thirty times slower where other programs want the cores.
  tintype::restart_with_variable("GOMP_SPINCOUNT", "1000", argv);

  using tintype::ErrorCode;
  try {
    tintype::run_command_line(argc, argv);
    return 0;
  } catch (const tintype::Error& error) {
    std::cerr << "tintype: " << error.what() << "\n";
    if (!error.hint().empty()) std::cerr << "hint: " << error.hint() << "\n";
    return static_cast<int>(error.code());
  } catch (const std::filesystem::filesystem_error& error) {
    std::cerr << "tintype: " << error.path1().string() << ": " << error.code().message() << "\n";
    return static_cast<int>(ErrorCode::kFailed);
  } catch (const std::bad_alloc&) {
    std::cerr << "tintype: this machine has not enough memory\n"
                 "hint: try a smaller picture, or --budget\n";
    return static_cast<int>(ErrorCode::kMachine);
  } catch (const std::exception& error) {
    std::cerr << "tintype: " << error.what() << " (this should not happen; please report it)\n";
    return static_cast<int>(ErrorCode::kFailed);
  }
}
