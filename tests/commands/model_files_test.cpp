#include "commands/model_files.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tintype/error.h"

namespace tintype {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class ModelFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / "tintype-model-files" / "flux";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    for (const char* name : {"b.gguf", "a.safetensors", "notes.txt"}) write(name, "");
  }
  void TearDown() override { fs::remove_all(folder_.parent_path()); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

TEST_F(ModelFilesTest, FilesStandForThemselves) {
  EXPECT_THAT(expand_models({"x.gguf", "y"}).files, ElementsAre("x.gguf", "y"));
}

TEST_F(ModelFilesTest, AFolderStandsForItsWeightFiles) {
  EXPECT_THAT(expand_models({folder_.string()}).files,
              ElementsAre(at("a.safetensors"), at("b.gguf")));
}

TEST_F(ModelFilesTest, AFolderWithARecipeStandsForThat) {
  write("flux.json", R"({"files": ["b.gguf"], "defaults": {"steps": 4}})");
  for (const std::string& path : {folder_.string(), folder_.string() + "/", at("flux.json")}) {
    const Recipe recipe = expand_models({path});
    EXPECT_THAT(recipe.files, ElementsAre(at("b.gguf"))) << path;
    EXPECT_EQ(recipe.defaults.steps, 4) << path;
  }
}

TEST_F(ModelFilesTest, TheDefaultsOfLaterRecipesWin) {
  write("one.json", R"({"files": ["a.safetensors"], "defaults": {"steps": 4, "width": 64}})");
  write("two.json", R"({"files": ["b.gguf"], "defaults": {"steps": 8}})");
  const Recipe recipe = expand_models({at("one.json"), at("two.json")});
  EXPECT_THAT(recipe.files, ElementsAre(at("a.safetensors"), at("b.gguf")));
  EXPECT_EQ(recipe.defaults.steps, 8);
  EXPECT_EQ(recipe.defaults.width, 64);
}

TEST_F(ModelFilesTest, AnEmptyFolderIsRefused) {
  fs::create_directory(folder_ / "empty");
  EXPECT_THROW(expand_models({at("empty")}), Error);
}

}  // namespace
}  // namespace tintype
