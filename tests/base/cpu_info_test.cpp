#include "base/cpu_info.h"

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "base/os.h"

namespace tintype {
namespace {

// Values of the first line that begins with `key`.
std::string line_of_cpuinfo(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return line.substr(line.find(": ") + 2);
  }
  return {};
}

// Linux lists a feature only where it saves the registers too: an independent reading of the same.
TEST(CpuInfo, AgreesWithTheKernel) {
  std::istringstream words(line_of_cpuinfo("flags"));
  const std::set<std::string> flags{std::istream_iterator<std::string>(words), {}};
  const auto has = [&](const char* flag) { return flags.contains(flag); };
  const CpuInfo cpu = cpu_info();
  EXPECT_EQ(cpu.vendor, line_of_cpuinfo("vendor_id"));
  EXPECT_EQ(cpu.brand, line_of_cpuinfo("model name"));
  EXPECT_EQ(cpu.avx2, has("avx2"));
  EXPECT_EQ(cpu.fma, has("fma"));
  EXPECT_EQ(cpu.f16c, has("f16c"));
  EXPECT_EQ(cpu.avx_vnni, has("avx_vnni"));
  EXPECT_EQ(cpu.avx512, has("avx512f") && has("avx512bw") && has("avx512vl") && has("avx512dq"));
  EXPECT_EQ(cpu.avx512_vnni, has("avx512_vnni"));
  EXPECT_EQ(cpu.avx512_bf16, has("avx512_bf16"));
  EXPECT_EQ(cpu.amx_tile, has("amx_tile"));
  EXPECT_EQ(cpu.amx_bf16, has("amx_bf16"));
  EXPECT_EQ(cpu.amx_int8, has("amx_int8"));
}

TEST(CpuInfo, CountsAtLeastOneCore) {
  EXPECT_GE(usable_cores(), 1);
  EXPECT_EQ(cpu_info().cores, usable_cores());
}

}  // namespace
}  // namespace tintype
