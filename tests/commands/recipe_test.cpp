#include "commands/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tintype/error.h"

namespace tintype {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Recipe, NamesFilesBesideItself) {
  const Recipe recipe =
      parse_recipe(R"({"files": ["a.gguf", "sub/b.safetensors", "/c"]})", "models/flux.json");
  EXPECT_THAT(recipe.files, ElementsAre("models/a.gguf", "models/sub/b.safetensors", "/c"));
  EXPECT_TRUE(recipe.keys.empty());
}

TEST(Recipe, SetsDefaults) {
  const Recipe recipe = parse_recipe(
      R"({"files": ["a"],
          "defaults": {"width": 128, "cfg": 1.5, "sampler": "heun", "guidance": -1}})",
      "r.json");
  EXPECT_EQ(recipe.defaults.width, 128);
  EXPECT_EQ(recipe.defaults.cfg, 1.5);
  EXPECT_EQ(recipe.defaults.guidance, -1);
  EXPECT_EQ(recipe.defaults.sampler, "heun");
  EXPECT_THAT(recipe.keys, ElementsAre("width", "cfg", "sampler", "guidance"));
}

struct BadRecipe {
  const char *text, *sentence;
};

class RecipeRefusal : public testing::TestWithParam<BadRecipe> {};

TEST_P(RecipeRefusal, NamesTheKey) {
  try {
    parse_recipe(GetParam().text, "r.json");
    FAIL() << "was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadFile);
    EXPECT_THAT(error.what(), HasSubstr(GetParam().sentence));
    EXPECT_THAT(error.what(), HasSubstr("r.json"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, RecipeRefusal,
    testing::Values(
        BadRecipe{"{", "is not valid JSON"}, BadRecipe{"[]", "a recipe is a JSON object"},
        BadRecipe{"{}", "has no \"files\""},
        BadRecipe{R"({"files": []})", "\"files\" needs a list"},
        BadRecipe{R"({"files": "a"})", "\"files\" needs a list"},
        BadRecipe{R"({"files": ["a", 3]})", "entry 2 is none"},
        BadRecipe{R"({"files": ["a"], "default": {}})", "\"default\" is unknown"},
        BadRecipe{R"({"files": ["a"], "files": ["b"]})", "occurs twice"},
        BadRecipe{R"({"files": ["a"], "defaults": []})", "defaults needs a JSON object"},
        BadRecipe{R"({"files": ["a"], "defaults": {"widht": 128}})", "defaults.widht is unknown"},
        BadRecipe{R"({"files": ["a"], "defaults": {"width": "128"}})",
                  "defaults.width needs a whole number"},
        BadRecipe{R"({"files": ["a"], "defaults": {"width": 12.5}})",
                  "defaults.width needs a whole number"},
        BadRecipe{R"({"files": ["a"], "defaults": {"seed": -1}})",
                  "defaults.seed needs a whole number from 0 up"},
        BadRecipe{R"({"files": ["a"], "defaults": {"cfg": null}})", "defaults.cfg needs a number"},
        BadRecipe{R"({"files": ["a"], "defaults": {"sampler": 1}})",
                  "defaults.sampler needs a text"}));

TEST(Recipe, SuggestsTheKeyThatWasMeant) {
  try {
    parse_recipe(R"({"files": ["a"], "defaults": {"widht": 128}})", "r.json");
    FAIL() << "was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.hint(), "did you mean width?");
  }
}

}  // namespace
}  // namespace tintype
