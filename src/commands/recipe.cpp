#include "commands/recipe.h"

#include <filesystem>

#include "base/error.h"
#include "base/os.h"
#include "commands/request_json.h"

namespace tintype {
namespace {

std::vector<std::string> read_files(const Json& files, const std::string& path) {
  check(files.is(Json::Kind::kArray) && !files.items.empty(), ErrorCode::kBadFile, path,
        ": \"files\" needs a list of file names");
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::vector<std::string> paths;
  for (const Json& file : files.items) {
    check(file.is(Json::Kind::kString) && !file.text.empty(), ErrorCode::kBadFile, path,
          ": \"files\" needs file names, and entry ", paths.size() + 1, " is none");
    paths.push_back((folder / file.text).string());
  }
  return paths;
}

}  // namespace

Recipe parse_recipe(std::string_view text, const std::string& path) {
  const Json root = parse_json(text, path);
  check(root.is(Json::Kind::kObject), ErrorCode::kBadFile, path, ": a recipe is a JSON object");
  Recipe recipe;
  for (size_t i = 0; i < root.keys.size(); ++i) {
    if (root.keys[i] == "files")
      recipe.files = read_files(root.items[i], path);
    else if (root.keys[i] == "defaults")
      recipe.keys = read_request(root.items[i], path + ": defaults", recipe.defaults);
    else
      fail(ErrorCode::kBadFile, path, ": \"", root.keys[i],
           "\" is unknown; a recipe has \"files\" and \"defaults\"");
  }
  check(!recipe.files.empty(), ErrorCode::kBadFile, path, ": has no \"files\"");
  return recipe;
}

Recipe read_recipe(const std::string& path) {
  const auto file = File::open(path, LoadMode::kRead);
  const auto bytes = file->bytes();
  return parse_recipe({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

}  // namespace tintype
