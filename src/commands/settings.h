// What a command line says about how the program runs, whatever the command does.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/cancel.h"
#include "commands/options.h"
#include "tintype/request.h"

namespace tintype {

struct Settings {
  EngineOptions engine;
  std::string budget;               // as typed: "6GiB"
  std::vector<std::string> routes;  // as typed: "linear=cpu.linear.panel"
  std::string assets;
  bool quiet = false, json = false;
  const CancelFlag* cancel = nullptr;  // set by Ctrl-C
};

// An option of the engine that decides about the result, and so is kept in a picture's record.
struct EngineField {
  std::string key;  // "compute"; on the command line --compute
  std::string EngineOptions::*member;
};
std::span<const EngineField> engine_fields();

// --threads, --isa, --quiet, --json: every command has them.
void declare_settings(Options& options, Settings& settings);
// How models are run: --backend, --compute …
void declare_engine(Options& options, Settings& settings);

// The engine's options with everything that was typed. Throws kUsage.
EngineOptions engine_options(const Settings& settings);

}  // namespace tintype
