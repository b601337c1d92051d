// GGUF files from any bytes.
#include <cstdint>
#include <span>

#include "fuzz/weights.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tintype::test::parse_and_decode(std::as_bytes(std::span(data, size)));
  return 0;
}
