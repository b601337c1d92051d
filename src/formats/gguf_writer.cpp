#include "formats/gguf_writer.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "base/error.h"
#include "base/rounding.h"
#include "formats/formats.h"

namespace tintype {
namespace {

constexpr uint64_t kAlignment = 32;  // bytes, GGUF's default
constexpr uint32_t kVersion = 3;
// Type numbers of metadata values.
constexpr uint32_t kTypeU8 = 0, kTypeU32 = 4, kTypeI32 = 5, kTypeF32 = 6, kTypeBool = 7,
                   kTypeString = 8, kTypeArray = 9, kTypeI64 = 11;

class Header {
 public:
  template <class T>
  void number(T value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void text(std::string_view value) {
    number(uint64_t{value.size()});
    const auto bytes = std::as_bytes(std::span(value));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }

  void value(bool v) { tagged(kTypeBool, uint8_t{v}); }
  void value(double v) { tagged(kTypeF32, static_cast<float>(v)); }
  void value(int64_t v) {
    if (v >= 0 && v <= std::numeric_limits<uint32_t>::max())
      tagged(kTypeU32, static_cast<uint32_t>(v));
    else
      tagged(kTypeI64, v);
  }
  void value(const std::string& v) {
    number(kTypeString);
    text(v);
  }
  void value(const std::vector<std::string>& v) {
    array(kTypeString, v.size());
    for (const std::string& s : v) text(s);
  }
  void value(const std::vector<float>& v) { numbers<float>(kTypeF32, v); }
  void value(const std::vector<int64_t>& v) { numbers<int32_t>(kTypeI32, v); }
  void value(const std::vector<uint8_t>& v) { numbers<uint8_t>(kTypeU8, v); }

  std::vector<std::byte> padded_bytes() && {
    bytes_.resize(round_up(bytes_.size(), kAlignment));
    return std::move(bytes_);
  }

 private:
  template <class T>
  void tagged(uint32_t type, T v) {
    number(type);
    number(v);
  }
  void array(uint32_t type, size_t count) {
    number(kTypeArray);
    number(type);
    number(uint64_t{count});
  }
  template <class Stored, class T>
  void numbers(uint32_t type, const std::vector<T>& v) {
    array(type, v.size());
    for (const T x : v) number(static_cast<Stored>(x));
  }

  std::vector<std::byte> bytes_;
};

const BlockCodec& codec_of(const TensorEntry& entry) {
  const auto all = block_formats();
  const auto it = std::find_if(all.begin(), all.end(), [&](const BlockFormat* format) {
    return format->codec().type_name == entry.type;
  });
  TINTYPE_ASSERT(it != all.end());
  return (*it)->codec();
}

}  // namespace

WeightWriter write_gguf(const std::string& path, std::span<const TensorEntry> entries,
                        const std::map<std::string, MetaValue>& metadata, bool replace) {
  Header header;
  for (const char c : {'G', 'G', 'U', 'F'}) header.number(c);
  header.number(kVersion);
  header.number(uint64_t{entries.size()});
  header.number(uint64_t{metadata.size()});
  for (const auto& [key, value] : metadata) {
    header.text(key);
    std::visit([&](const auto& v) { header.value(v); }, value);
  }

  std::vector<uint64_t> sizes;
  uint64_t offset = 0;
  for (const TensorEntry& entry : entries) {
    const BlockCodec& codec = codec_of(entry);
    TINTYPE_ASSERT(entry.shape.rank() >= 1 && entry.shape.cols() % codec.values == 0);
    header.text(entry.name);
    header.number(static_cast<uint32_t>(entry.shape.rank()));
    for (int axis = entry.shape.rank() - 1; axis >= 0; --axis) header.number(entry.shape[axis]);
    header.number(codec.gguf_type);
    header.number(offset);
    sizes.push_back(static_cast<uint64_t>(entry.shape.elements() / codec.values) * codec.bytes);
    offset += round_up(sizes.back(), kAlignment);
  }
  return WeightWriter(path, replace, std::move(header).padded_bytes(), std::move(sizes),
                      kAlignment);
}

}  // namespace tintype
