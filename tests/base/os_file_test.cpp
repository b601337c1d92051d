#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/os.h"
#include "base/os_mappings.h"
#include "base/parallel.h"

namespace tintype {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Every test has a folder of its own, with a name that some programs stumble over.
class OsFileTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) /
              concat_text("tintype-", getpid(), "-", test->name(), "-モデル é");
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::vector<fs::path> files() const {
    return {fs::directory_iterator(folder_), fs::directory_iterator()};
  }
  // A file whose byte i is i / 4096 + 1, so that no page is all zeros.
  std::string file_of_pages(size_t pages) const {
    std::string text;
    for (size_t i = 0; i < pages; ++i) text += std::string(4096, static_cast<char>(i % 100 + 1));
    write_file(path("pages"), std::as_bytes(std::span(text)));
    return path("pages");
  }

  fs::path folder_;
};

std::string text_of(const File& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// Runs `body`, which must throw; gives what it said.
template <class Body>
Error error_of(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error;
  }
  return {ErrorCode::kFailed, "nothing was thrown"};
}

TEST_F(OsFileTest, BothWaysOfOpeningReadTheSame) {
  const std::string name = file_of_pages(3);
  const auto mapped = File::open(name), copied = File::open(name, LoadMode::kRead);
  EXPECT_TRUE(mapped->mapped());
  EXPECT_FALSE(copied->mapped());
  EXPECT_EQ(mapped->path(), name);
  EXPECT_EQ(text_of(*mapped), text_of(*copied));
  EXPECT_EQ(mapped->bytes().size(), 3u * 4096);
}

TEST_F(OsFileTest, AnEmptyFileHasNoBytes) {
  write_file(path("empty"), {});
  for (const LoadMode mode : {LoadMode::kMap, LoadMode::kRead}) {
    EXPECT_THAT(File::open(path("empty"), mode)->bytes(), IsEmpty());
  }
}

TEST_F(OsFileTest, SaysWhatCannotBeOpened) {
  const Error missing = error_of([&] { File::open(path("none")); });
  EXPECT_EQ(missing.code(), ErrorCode::kUsage);
  EXPECT_EQ(missing.what(), path("none") + ": there is no such file");

  const Error folder = error_of([&] { File::open(folder_.string()); });
  EXPECT_EQ(folder.code(), ErrorCode::kUsage);
  EXPECT_THAT(folder.what(), HasSubstr("is a folder"));

  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { File::open(path("pipe")); }).what(),
              HasSubstr("is not a regular file"));
}

// Whoever touches the missing part of a cut file reads zeros, from any thread, and lives.
TEST_F(OsFileTest, AFileCutWhileItIsReadIsDamagedAndFullOfZeros) {
  constexpr int64_t kPages = 1024;
  const auto file = File::open(file_of_pages(kPages));
  const auto other = File::open(file->path(), LoadMode::kRead);
  EXPECT_FALSE(file->damaged());
  ASSERT_EQ(truncate(file->path().c_str(), 10 * 4096), 0);

  set_threads(2);
  std::vector<int> first(kPages);
  parallel_for(kPages, [&](int64_t i) {
    const auto page = static_cast<size_t>(kPages - 1 - i);  // backwards: each a new fault
    first[page] = std::to_integer<int>(file->bytes()[page * 4096]);
  });
  EXPECT_TRUE(file->damaged());
  EXPECT_FALSE(other->damaged());
  EXPECT_EQ(first[9], 10);
  EXPECT_EQ(std::accumulate(first.begin() + 10, first.end(), 0), 0);
}

TEST_F(OsFileTest, DamageEndsWithTheMapping) {
  const std::string name = file_of_pages(4);
  {
    const auto file = File::open(name);
    ASSERT_EQ(truncate(name.c_str(), 4096), 0);
    EXPECT_EQ(std::to_integer<int>(file->bytes()[3 * 4096]), 0);
    EXPECT_TRUE(file->damaged());
  }
  const auto again = File::open(name);
  EXPECT_FALSE(again->damaged());
  EXPECT_EQ(again->bytes().size(), 4096u);
}

// A SIGBUS that is none of ours goes to the handler that was there first: the default one, or a
// sanitizer's.
TEST_F(OsFileTest, OtherBusErrorsEndTheProcess) {
  const std::string name = file_of_pages(1);
  const pid_t child = fork();
  if (child == 0) {
    const auto file = File::open(name);  // installs our handler
    raise(SIGBUS);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST_F(OsFileTest, AdviceChangesNothingThatIsRead) {
  const auto file = File::open(file_of_pages(8));
  const auto copied = File::open(file->path(), LoadMode::kRead);
  for (const auto& f : {file, copied}) {
    const std::string before = text_of(*f);
    advise_unneeded(f->bytes());
    advise_unneeded(f->bytes().subspan(100, 5000));
    advise_unneeded(f->bytes().subspan(1, 1));
    advise_needed(f->bytes().subspan(5000, 10000));
    EXPECT_EQ(text_of(*f), before);
  }
}

TEST_F(OsFileTest, UnneededPagesLeaveTheProcess) {
  constexpr size_t kPages = 4096;  // 16 MiB
  const auto file = File::open(file_of_pages(kPages));
  size_t sum = 0;
  for (size_t i = 0; i < kPages; ++i) sum += std::to_integer<size_t>(file->bytes()[i * 4096]);
  EXPECT_GT(sum, kPages);
  const uint64_t before = memory_use().file_mapped;
  advise_unneeded(file->bytes());
  EXPECT_LE(memory_use().file_mapped + 15 * 1024 * 1024, before);
}

TEST_F(OsFileTest, TheTableKnowsOnlyLiveMappings) {
  std::span<const std::byte> bytes;
  {
    const auto file = File::open(file_of_pages(2));
    bytes = file->bytes();
    EXPECT_TRUE(in_mapping(bytes));
    EXPECT_TRUE(in_mapping(bytes.last(1)));
    EXPECT_FALSE(in_mapping({bytes.data(), bytes.size() + 1}));
    EXPECT_FALSE(in_mapping({}));
  }
  EXPECT_FALSE(in_mapping(bytes));
}

TEST_F(OsFileTest, WritesAndReplacesWholeFiles) {
  write_file(path("out"), bytes_of("first"));
  write_file(path("out"), bytes_of("second"));
  EXPECT_EQ(text_of(*File::open(path("out"))), "second");
  EXPECT_THAT(files(), SizeIs(1));
  const fs::perms rights = fs::status(path("out")).permissions();
  EXPECT_NE(rights & fs::perms::owner_read, fs::perms::none);
}

TEST_F(OsFileTest, KeepsAnExistingFile) {
  write_file(path("out"), bytes_of("mine"));
  const Error error = error_of([&] { write_file(path("out"), bytes_of("yours"), false); });
  EXPECT_EQ(error.code(), ErrorCode::kFailed);
  EXPECT_EQ(error.what(), path("out") + ": cannot be written: the file exists already");

  NewFile slow(path("late"), false);
  write_file(path("late"), bytes_of("mine"));  // somebody was faster
  slow.write(bytes_of("yours"));
  EXPECT_THAT(error_of([&] { slow.commit(); }).what(), HasSubstr("exists already"));
  EXPECT_EQ(text_of(*File::open(path("late"))), "mine");
}

TEST_F(OsFileTest, SaysWhyAFileCannotBeWritten) {
  const auto reason = [&](const std::string& name) {
    return std::string(error_of([&] { write_file(name, bytes_of("x")); }).what());
  };
  EXPECT_EQ(reason(path("none/out")),
            path("none/out") + ": cannot be written: there is no such folder");
  EXPECT_THAT(reason(folder_.string()), HasSubstr("it is a folder"));
  EXPECT_THAT(reason("/dev/full"), HasSubstr("the disk is full"));
  if (geteuid() != 0) {
    EXPECT_THAT(reason("/proc/out"), HasSubstr("cannot be written"));
    fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_THAT(reason(path("out")), HasSubstr("there is no permission"));
    fs::permissions(folder_, fs::perms::owner_all);
  }
}

TEST_F(OsFileTest, ADroppedWriterLeavesNothing) {
  {
    NewFile file(path("out"));
    file.write(bytes_of("half"));
    EXPECT_THAT(files(), SizeIs(1));
  }
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(OsFileTest, RemovesTemporariesOfAllWriters) {
  NewFile one(path("one")), two(path("two"));
  write_file(path("three"), bytes_of("3"));
  EXPECT_THAT(files(), SizeIs(3));
  remove_temporaries();
  EXPECT_THAT(files(), testing::ElementsAre(fs::path(path("three"))));
}

}  // namespace
}  // namespace tintype
