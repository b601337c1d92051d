// What the processor can do and the operating system lets us use.
#pragma once

#include <string>

namespace tintype {

struct CpuInfo {
  std::string vendor;  // "GenuineIntel"
  std::string brand;   // "Intel(R) Xeon(R) Processor"
  int cores = 1;       // usable_cores() of base/os.h

  bool avx2 = false, fma = false, f16c = false;
  bool avx_vnni = false;     // 8-bit dot products on 256-bit registers
  bool avx512 = false;       // F, BW, VL and DQ together
  bool avx512_vnni = false;  // 8-bit dot products on 512-bit registers
  bool avx512_bf16 = false;
  bool amx_tile = false, amx_bf16 = false, amx_int8 = false;
};

// Reads the processor at every call; a feature whose registers the system does not save is false.
CpuInfo cpu_info();

}  // namespace tintype
