#include "commands/byte_sizes.h"

#include <gtest/gtest.h>

#include "tintype/error.h"

namespace tintype {
namespace {

TEST(ByteSizes, AreRead) {
  EXPECT_EQ(parse_bytes("--budget", "4096"), 4096u);
  EXPECT_EQ(parse_bytes("--budget", "6GiB"), uint64_t{6} << 30);
  EXPECT_EQ(parse_bytes("--budget", "500MB"), 500'000'000u);
  EXPECT_EQ(parse_bytes("--budget", "1.5 gib"), uint64_t{3} << 29);
  EXPECT_EQ(parse_bytes("--budget", "2k"), 2000u);
  EXPECT_EQ(parse_bytes("--budget", "7 B"), 7u);
}

TEST(ByteSizes, RefuseWhatIsNone) {
  for (const char* text : {"", "GiB", "-1", "0", "6XB", "6GiBs", "6iB", "nan", "1e30"})
    EXPECT_THROW(parse_bytes("--budget", text), Error) << text;
}

TEST(ByteSizes, AreWritten) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(uint64_t{6} << 30), "6.0 GiB");
  EXPECT_EQ(format_bytes(uint64_t{200} << 20), "200 MiB");
}

}  // namespace
}  // namespace tintype
