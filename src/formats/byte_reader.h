// Reads little-endian numbers and strings off the front of untrusted bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace tintype {

// Throws kBadFile, with the file's name, where the bytes run out.
class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, const std::string& path)
      : bytes_(bytes), path_(path) {}

  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view text(uint64_t size);
  std::span<const std::byte> take(uint64_t size);

  uint64_t position() const { return position_; }
  uint64_t left() const { return bytes_.size() - position_; }

 private:
  std::span<const std::byte> bytes_;
  const std::string& path_;
  uint64_t position_ = 0;
};

}  // namespace tintype
