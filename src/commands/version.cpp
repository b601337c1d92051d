#include "tintype/version.h"

#include <iostream>

#include "commands/commands.h"

namespace tintype {
namespace {

class VersionCommand final : public Command {
 public:
  void declare(Options&, Settings&) override {}
  void run(const Options&, const Settings&) override { std::cout << kVersion << "\n"; }
};

}  // namespace

const CommandEntry kVersionCommand{"version", "version, libraries and what this machine has", "",
                                   make_command<VersionCommand>};

}  // namespace tintype
