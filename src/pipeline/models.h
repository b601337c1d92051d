// The parts that a job needs, picked from the files that a request names.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/components.h"
#include "tintype/request.h"

namespace tintype {

// Open files, kept between jobs. A file that changed on disk is opened anew.
class FileCache {
 public:
  explicit FileCache(LoadMode mode) : mode_(mode) {}
  std::shared_ptr<const WeightIndex> open(const std::string& path);

 private:
  struct Entry {
    std::shared_ptr<const WeightIndex> index;
    std::string stamp;  // size and time of change
  };
  LoadMode mode_;
  std::map<std::string, Entry> entries_;
};

struct TextPart {
  Loaded<TextEncoder> encoder;
  std::unique_ptr<Tokenizer> tokenizer;
};

struct Models {
  Loaded<Denoiser> denoiser;
  std::vector<TextPart> text;  // in the order of Family::text_encoders
  Loaded<Vae> vae;
  std::vector<std::string> notices;

  const Family& family() const { return *denoiser.component.family; }
};

// Throws kUsage if a part is missing or named twice, saying which files there are and what each
// holds, and kBadFile if a file is at fault.
Models pick_models(const Request& request, FileCache& cache, bool strict);

}  // namespace tintype
