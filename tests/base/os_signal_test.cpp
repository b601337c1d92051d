#include <csignal>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/os.h"

namespace tintype {
namespace {

TEST(Cancel, ThrowsOnceTheFlagIsSet) {
  CancelFlag flag = false;
  stop_if_cancelled(nullptr);
  stop_if_cancelled(&flag);
  flag = true;
  try {
    stop_if_cancelled(&flag);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCancelled);
  }
}

// In a child, because the handler stays for the rest of a process.
int exit_code_after(void (*body)(std::atomic<bool>& flag)) {
  const pid_t child = fork();
  if (child == 0) {
    static std::atomic<bool> flag = false;
    install_interrupt_handler(flag);
    body(flag);
    _exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(Interrupt, TheFirstOneOnlySetsTheFlag) {
  for (const int signal : {SIGINT, SIGTERM}) {
    static int which;
    which = signal;
    EXPECT_EQ(exit_code_after([](std::atomic<bool>& flag) {
                raise(which);
                _exit(flag ? 42 : 1);
              }),
              42);
  }
}

TEST(Interrupt, TheSecondOneEndsTheProcessAndLeavesNoFile) {
  static std::filesystem::path folder;
  folder = std::filesystem::path(testing::TempDir()) / concat_text("tintype-signal-", getpid());
  std::filesystem::create_directories(folder);
  EXPECT_EQ(exit_code_after([](std::atomic<bool>&) {
              const NewFile file((folder / "out").string());
              raise(SIGINT);
              if (std::filesystem::is_empty(folder)) _exit(1);
              raise(SIGTERM);
            }),
            130);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tintype
