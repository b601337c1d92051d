// The commands of the program. Adding one adds a file, a line here and a line in commands.cpp.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "commands/options.h"
#include "commands/settings.h"

namespace tintype {

class Command {
 public:
  virtual ~Command() = default;
  // Adds the command's own options; those of `settings` that every command has come by themselves.
  virtual void declare(Options& options, Settings& settings) = 0;
  // Throws tintype::Error.
  virtual void run(const Options& options, const Settings& settings) = 0;
};

struct CommandEntry {
  std::string_view name, summary, examples;
  std::unique_ptr<Command> (*make)();
  bool stops = false;  // looks at Settings::cancel; others simply end at Ctrl-C
};

template <class T>
std::unique_ptr<Command> make_command() {
  return std::make_unique<T>();
}

extern const CommandEntry kGenerateCommand, kPlanCommand, kInspectCommand, kForwardCommand,
    kTokenizeCommand, kSynthCommand, kBenchCommand, kVersionCommand;

std::span<const CommandEntry* const> commands();

// The whole program: `tintype NAME …`. Throws tintype::Error.
void run_command_line(int argc, const char* const* argv);

}  // namespace tintype
