#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/os.h"

namespace tintype {
namespace {

constexpr size_t kBlock = 64 << 20;

TEST(Memory, ABlockIsCountedWhileItIsUsed) {
  const MemoryUse before = memory_use();
  {
    const PageBlock block(kBlock);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block.data()) % 4096, 0u);
    EXPECT_LT(memory_use().anonymous, before.anonymous + kBlock / 2) << "untouched pages are free";
    std::memset(block.data(), 1, block.size());
    EXPECT_GE(memory_use().anonymous, before.anonymous + kBlock * 9 / 10);
    EXPECT_GE(memory_use().peak, memory_use().anonymous);
  }
  EXPECT_LT(memory_use().anonymous, before.anonymous + kBlock / 2);
}

TEST(Memory, ThePeakCanBeForgotten) {
  {
    const PageBlock block(kBlock);
    std::memset(block.data(), 1, block.size());
  }
  const MemoryUse before = memory_use();
  if (reset_peak_memory()) {
    EXPECT_LT(memory_use().peak, before.peak);
  }
}

TEST(Memory, BlocksMoveAndAreZeroed) {
  PageBlock a(5000);
  const std::byte* data = a.data();
  for (size_t i = 0; i < a.size(); ++i) ASSERT_EQ(data[i], std::byte{0});
  PageBlock b(std::move(a));
  EXPECT_EQ(b.data(), data);
  PageBlock c;
  EXPECT_EQ(c.data(), nullptr);
  c = std::move(b);
  EXPECT_EQ(c.data(), data);
  EXPECT_EQ(c.size(), 5000u);
}

TEST(Memory, TooMuchIsRefusedByName) {
  try {
    const PageBlock block(size_t{1} << 62);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kMachine);
    EXPECT_THAT(error.what(), testing::HasSubstr("4611686018427387904 bytes"));
  }
}

TEST(Memory, TheMachineHasSomeLeft) { EXPECT_GT(available_memory(), uint64_t{1} << 20); }

}  // namespace
}  // namespace tintype
