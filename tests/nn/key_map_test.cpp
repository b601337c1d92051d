#include "nn/key_map.h"

#include <gtest/gtest.h>

namespace tintype {
namespace {

const std::vector<KeyRule> kRules{
    {"blocks.{}.qkv", {{"layers.{}.q"}, {"layers.{}.k"}}},
    {"final", {{"norm_out", 1, 2}, {"norm_out", 0, 2}}},
    {"mid.{}.*", {{"middle.{}.*"}}},
};

std::string stored(std::string_view module) {
  std::string text;
  for (const StoredRows& s : stored_rows(kRules, module))
    text += s.module + "#" + std::to_string(s.part) + "/" + std::to_string(s.parts) + " ";
  return text;
}

TEST(KeyMap, StacksCutsAndRenames) {
  EXPECT_EQ(stored("blocks.12.qkv"), "layers.12.q#0/1 layers.12.k#0/1 ");
  EXPECT_EQ(stored("final"), "norm_out#1/2 norm_out#0/2 ");
  EXPECT_EQ(stored("mid.3.conv.1"), "middle.3.conv.1#0/1 ");
}

TEST(KeyMap, KeepsWhatHasNoRule) {
  for (const char* name : {"blocks.qkv", "blocks..qkv", "blocks.1.qkvx", "finals", ""})
    EXPECT_EQ(stored(name), std::string(name) + "#0/1 ");
}

}  // namespace
}  // namespace tintype
