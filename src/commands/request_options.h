// The options that say what to paint, with which files: of `generate` and of `plan`.
#pragma once

#include <string>
#include <vector>

#include "commands/options.h"
#include "commands/picture_record.h"
#include "commands/settings.h"

namespace tintype {

// A request with recipes read and the engine that it asks for.
struct Job {
  Request request;
  EngineOptions engine;
  std::vector<std::string> notices;
};

class RequestOptions {
 public:
  void declare(Options& options, Settings& settings);

  // What was typed, over what --from says, over the recipe's defaults. A seed that nobody named is
  // drawn. Throws kUsage, or kBadFile for a broken recipe or picture.
  Job resolve(const Options& options, const Settings& settings) const;

 private:
  bool names_files() const;
  // Fills in what the picture `from_` says, and the files it was made with.
  void repeat(const Options& options, const Settings& settings, Job& job) const;
  void place_recorded(const PictureRecord& record, const Settings& settings,
                      Request& request) const;
  void apply_typed(const Options& options, Request& request) const;

  Request typed_;
  std::vector<std::string> models_;
  std::string seed_ = "-1", from_;
};

// A prompt as typed: "-" for standard input, "@FILE" for a file's text, else itself.
std::string read_prompt(const std::string& typed);

}  // namespace tintype
