#include "support/protobuf_writer.h"

#include <cstring>

namespace tintype::test {

ProtobufWriter& ProtobufWriter::number(uint64_t field, uint64_t value) {
  return varint(field << 3).varint(value);
}

ProtobufWriter& ProtobufWriter::real(uint64_t field, float value) {
  char bytes[4];
  std::memcpy(bytes, &value, 4);
  return varint(field << 3 | 5).raw({bytes, 4});
}

ProtobufWriter& ProtobufWriter::text(uint64_t field, std::string_view value) {
  return varint(field << 3 | 2).varint(value.size()).raw(value);
}

ProtobufWriter& ProtobufWriter::raw(std::string_view bytes) {
  bytes_ += bytes;
  return *this;
}

std::vector<std::byte> ProtobufWriter::bytes() const {
  const auto* begin = reinterpret_cast<const std::byte*>(bytes_.data());
  return {begin, begin + bytes_.size()};
}

ProtobufWriter& ProtobufWriter::varint(uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
  bytes_ += static_cast<char>(value);
  return *this;
}

}  // namespace tintype::test
