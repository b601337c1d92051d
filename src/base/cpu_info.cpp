#include "base/cpu_info.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "base/os.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tintype {
#if defined(__x86_64__)
namespace {

// Feature bits as in Intel's Software Developer's Manual, volume 2A, CPUID.
struct Registers {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

// Zeros where the processor has no such leaf.
Registers cpuid(uint32_t leaf, uint32_t subleaf = 0) {
  Registers r;
  __get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx);
  return r;
}

bool bit(uint32_t word, int index) { return (word >> index & 1) != 0; }

// XCR0: the register sets that the system saves when it switches threads.
uint32_t saved_registers() {
  if (!bit(cpuid(1).ecx, 27)) return 0;  // OSXSAVE: xgetbv would be an illegal instruction
  uint32_t low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

template <size_t N>
std::string text_of(const std::array<uint32_t, N>& words) {
  std::array<char, 4 * N + 1> text{};
  std::memcpy(text.data(), words.data(), 4 * N);
  return text.data();
}

std::string brand() {
  std::array<uint32_t, 12> words{};
  for (uint32_t i = 0; i < 3; ++i) {
    const Registers r = cpuid(0x80000002 + i);
    const uint32_t part[] = {r.eax, r.ebx, r.ecx, r.edx};
    std::memcpy(&words[4 * i], part, sizeof(part));
  }
  const std::string text = text_of(words);
  const size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

void read_features(CpuInfo& info) {
  constexpr uint32_t kYmm = 0x6, kZmm = 0xe6, kTiles = 0x60000;
  const uint32_t saved = saved_registers();
  const bool ymm = (saved & kYmm) == kYmm;
  const bool zmm = (saved & kZmm) == kZmm;
  const bool tiles = (saved & kTiles) == kTiles;
  const Registers one = cpuid(1), seven = cpuid(7), seven1 = cpuid(7, 1);

  info.fma = ymm && bit(one.ecx, 12);
  info.f16c = ymm && bit(one.ecx, 29);
  info.avx2 = ymm && bit(seven.ebx, 5);
  info.avx_vnni = ymm && bit(seven1.eax, 4);
  info.avx512 = zmm && bit(seven.ebx, 16) && bit(seven.ebx, 17) && bit(seven.ebx, 30) &&
                bit(seven.ebx, 31);  // F, DQ, BW, VL
  info.avx512_vnni = info.avx512 && bit(seven.ecx, 11);
  info.avx512_bf16 = info.avx512 && bit(seven1.eax, 5);
  info.amx_tile = tiles && bit(seven.edx, 24);
  info.amx_bf16 = info.amx_tile && bit(seven.edx, 22);
  info.amx_int8 = info.amx_tile && bit(seven.edx, 25);
}

}  // namespace

CpuInfo cpu_info() {
  CpuInfo info;
  const Registers zero = cpuid(0);
  info.vendor = text_of(std::array{zero.ebx, zero.edx, zero.ecx});
  info.brand = brand();
  info.cores = usable_cores();
  read_features(info);
  return info;
}

#else

CpuInfo cpu_info() {
  CpuInfo info;
  info.cores = usable_cores();
  return info;
}

#endif
}  // namespace tintype
