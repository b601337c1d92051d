#include "commands/assets.h"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/error.h"

namespace tintype {
namespace {

namespace fs = std::filesystem;
constexpr const char* kDefaultRecipe = "nano/nano.json";

std::vector<fs::path> candidates(const std::string& option) {
  if (!option.empty()) return {option};
  const char* variable = std::getenv("TINTYPE_ASSETS");
  if (variable != nullptr && *variable != '\0') return {variable};
  std::error_code ignored;
  const fs::path beside = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  return {beside / "assets", beside.parent_path() / "assets",
          beside.parent_path().parent_path() / "assets",
          beside.parent_path() / "share" / "tintype"};
}

}  // namespace

std::string default_model_folder(const std::string& option) {
  for (const fs::path& folder : candidates(option)) {
    std::error_code ignored;
    if (fs::exists(folder / kDefaultRecipe, ignored))
      return (folder / kDefaultRecipe).parent_path().string();
  }
  return {};
}

std::string default_recipe(const std::string& option) {
  const std::string folder = default_model_folder(option);
  if (!folder.empty()) return (fs::path(folder) / fs::path(kDefaultRecipe).filename()).string();
  std::string tried;
  for (const fs::path& place : candidates(option))
    tried += (tried.empty() ? "" : ", ") + place.string();
  throw Error(
      ErrorCode::kUsage,
      concat_text("the model that comes with tintype, ", kDefaultRecipe, ", is not in ", tried),
      "name its folder with --assets, or a model of your own with -m");
}

}  // namespace tintype
