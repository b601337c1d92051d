#include "commands/model_files.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "commands/request_fields.h"

namespace tintype {
namespace {

namespace fs = std::filesystem;

void append(const std::string& path, Recipe& sum) {
  const Recipe recipe = read_recipe(path);
  sum.files.insert(sum.files.end(), recipe.files.begin(), recipe.files.end());
  assign_fields(recipe.defaults, recipe.keys, sum.defaults);
  sum.keys.insert(sum.keys.end(), recipe.keys.begin(), recipe.keys.end());
}

void append_folder(const fs::path& folder, Recipe& sum) {
  const fs::path named = fs::weakly_canonical(folder);
  const fs::path recipe = folder / (named.filename().string() + ".json");
  if (fs::exists(recipe)) return append(recipe.string(), sum);

  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".safetensors" || extension == ".gguf") files.push_back(entry.path().string());
  }
  check(!files.empty(), ErrorCode::kUsage, folder.string(),
        ": is a folder without .safetensors or .gguf files");
  std::ranges::sort(files);
  sum.files.insert(sum.files.end(), files.begin(), files.end());
}

}  // namespace

Recipe expand_models(const std::vector<std::string>& paths) {
  Recipe sum;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored))
      append_folder(path, sum);
    else if (path.ends_with(".json"))
      append(path, sum);
    else
      sum.files.push_back(path);
  }
  return sum;
}

}  // namespace tintype
