// safetensors files from any bytes: once as they are, and once as a JSON header behind two bytes
// that say how much tensor data follows it, so that mutations need not guess the header's size.
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "fuzz/weights.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  tintype::test::parse_and_decode(input);
  if (size < 2) return 0;

  const uint64_t header = size - 2;
  const size_t tensors = data[0] | size_t{data[1]} << 8;
  std::vector<std::byte> file(sizeof header + header + tensors);
  std::memcpy(file.data(), &header, sizeof header);
  std::memcpy(file.data() + sizeof header, data + 2, header);
  for (size_t i = 0; i < tensors; ++i)
    file[sizeof header + header + i] = static_cast<std::byte>(37 * i + 11);
  tintype::test::parse_and_decode(file);
  return 0;
}
