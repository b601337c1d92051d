#include "formats/byte_reader.h"

#include "base/error.h"

namespace tintype {

std::span<const std::byte> ByteReader::take(uint64_t size) {
  check(size <= left(), ErrorCode::kBadFile, path_, ": ends after ", bytes_.size(),
        " bytes, but its header needs ", size, " more at byte ", position_,
        ": the download is incomplete, or the file damaged");
  const auto part = bytes_.subspan(position_, size);
  position_ += size;
  return part;
}

std::string_view ByteReader::text(uint64_t size) {
  const auto part = take(size);
  return {reinterpret_cast<const char*>(part.data()), part.size()};
}

}  // namespace tintype
