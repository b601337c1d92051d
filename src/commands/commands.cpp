#include "commands/commands.h"

#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include "base/nearest_name.h"
#include "base/os.h"
#include "tintype/version.h"

namespace tintype {
namespace {

void print_overview() {
  std::cout << "tintype " << kVersion
            << ": pictures from quantised diffusion checkpoints, run as they are stored\n\n"
               "Usage: tintype COMMAND [OPTIONS]\n\nCommands:\n";
  for (const CommandEntry* entry : commands())
    std::cout << "  " << std::left << std::setw(10) << entry->name << entry->summary << "\n";
  std::cout << "\nTry: tintype generate -p \"a red star on a blue background\"\n"
               "     tintype generate --help\n";
}

}  // namespace

std::span<const CommandEntry* const> commands() {
  static constexpr const CommandEntry* kTable[] = {
      &kGenerateCommand, &kPlanCommand,  &kInspectCommand, &kForwardCommand,
      &kTokenizeCommand, &kSynthCommand, &kBenchCommand,   &kVersionCommand,
  };
  return kTable;
}

void run_command_line(int argc, const char* const* argv) {
  const std::string_view first = argc > 1 ? argv[1] : "--help";
  if (first == "--help" || first == "-h" || first == "help") return print_overview();

  std::vector<CommandEntry> table;
  for (const CommandEntry* entry : commands()) table.push_back(*entry);
  const CommandEntry& entry =
      find_named<CommandEntry>("command", first == "--version" ? "version" : first, table);

  const auto command = entry.make();
  static CancelFlag interrupted = false;
  if (entry.stops) install_interrupt_handler(interrupted);
  Settings settings;
  settings.cancel = &interrupted;
  Options options(std::string(entry.name), std::string(entry.summary), std::string(entry.examples));
  command->declare(options, settings);
  declare_settings(options, settings);
  if (options.parse(argc - 2, argv + 2)) command->run(options, settings);
}

}  // namespace tintype
