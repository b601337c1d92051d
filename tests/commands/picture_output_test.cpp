#include "commands/picture_output.h"

#include <filesystem>
#include <fstream>
#include <vector>

#include <gtest/gtest.h>

#include "tintype/error.h"

namespace tintype {
namespace {

namespace fs = std::filesystem;

class PictureOutputTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / "tintype-picture-output";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  static std::string text_in(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static std::vector<std::byte> bytes(char c) { return {static_cast<std::byte>(c)}; }

  fs::path folder_;
};

TEST_F(PictureOutputTest, NamesAreAfterTheSeed) {
  EXPECT_EQ(PictureOutput("", false, false).wanted(7), "tintype-7.png");
  EXPECT_EQ(PictureOutput(folder_.string(), false, false).wanted(7), at("tintype-7.png"));
  EXPECT_EQ(PictureOutput("a/b.png", false, false).wanted(7), "a/b.png");
  EXPECT_EQ(PictureOutput("a/b.png", false, true).wanted(7), "a/b-7.png");
  EXPECT_EQ(PictureOutput("", false, true).wanted(7), "tintype-7.png");
}

TEST_F(PictureOutputTest, NothingIsReplacedUnasked) {
  const PictureOutput output(at("a.png"), false, false);
  EXPECT_EQ(output.write(1, bytes('1')), at("a.png"));
  EXPECT_EQ(output.write(1, bytes('2')), at("a-2.png"));
  EXPECT_EQ(output.write(1, bytes('3')), at("a-3.png"));
  EXPECT_EQ(text_in(at("a.png")), "1");
  EXPECT_EQ(text_in(at("a-3.png")), "3");
}

TEST_F(PictureOutputTest, ForceReplaces) {
  const PictureOutput output(at("a.png"), true, false);
  output.write(1, bytes('1'));
  EXPECT_EQ(output.write(1, bytes('2')), at("a.png"));
  EXPECT_EQ(text_in(at("a.png")), "2");
}

TEST_F(PictureOutputTest, TheProbeFindsWhatWouldFailAndLeavesNothing) {
  PictureOutput(at("a.png"), false, false).probe(1, 1000);
  EXPECT_TRUE(fs::is_empty(folder_));
  EXPECT_THROW(PictureOutput(at("no/a.png"), false, false).probe(1, 1000), Error);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(PictureOutputTest, DevicesAreWrittenAsTheyAre) {
  EXPECT_EQ(PictureOutput("/dev/null", false, false).write(1, bytes('1')), "/dev/null");
  EXPECT_THROW(PictureOutput("/dev/full", false, false).write(1, bytes('1')), Error);
}

TEST_F(PictureOutputTest, OnlyPngIsWritten) {
  EXPECT_THROW(PictureOutput("a.jpg", false, false), Error);
  EXPECT_THROW(PictureOutput("-", false, true), Error);
}

TEST_F(PictureOutputTest, TheNextFreeNameComesBeforeTheEnding) {
  EXPECT_EQ(next_free(at("b.c.png")), at("b.c.png"));
  std::ofstream(at("b.c.png")) << "1";
  EXPECT_EQ(next_free(at("b.c.png")), at("b.c-2.png"));
}

}  // namespace
}  // namespace tintype
