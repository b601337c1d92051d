// Writes protobuf messages field by field, right ones and wrong ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tintype::test {

class ProtobufWriter {
 public:
  ProtobufWriter& number(uint64_t field, uint64_t value);
  ProtobufWriter& real(uint64_t field, float value);
  ProtobufWriter& text(uint64_t field, std::string_view value);
  ProtobufWriter& raw(std::string_view bytes);

  const std::string& text() const { return bytes_; }
  std::vector<std::byte> bytes() const;

 private:
  ProtobufWriter& varint(uint64_t value);

  std::string bytes_;
};

}  // namespace tintype::test
