#include "formats/gguf_values.h"

#include <limits>

#include "base/error.h"

namespace tintype {
namespace {

// The type numbers of the file format.
enum class GgufType : uint32_t {
  kU8 = 0,
  kI8 = 1,
  kU16 = 2,
  kI16 = 3,
  kU32 = 4,
  kI32 = 5,
  kF32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kU64 = 10,
  kI64 = 11,
  kF64 = 12,
};

constexpr uint64_t kMaxString = uint64_t{16} << 20;  // bytes of one value

bool read_bool(ByteReader& in, const std::string& where) {
  const auto value = in.number<uint8_t>();
  check(value <= 1, ErrorCode::kBadFile, where, ": has ", int{value}, " as a bool, needs 0 or 1");
  return value != 0;
}

int64_t read_u64(ByteReader& in, const std::string& where) {
  const auto value = in.number<uint64_t>();
  check(value <= uint64_t{std::numeric_limits<int64_t>::max()}, ErrorCode::kBadFile, where,
        ": has ", value, ", which is too large");
  return static_cast<int64_t>(value);
}

// `read` makes one element; each takes at least `size` bytes of the file.
template <class T, class Read>
std::vector<T> read_list(ByteReader& in, uint64_t size, const std::string& where, Read read) {
  const auto count = in.number<uint64_t>();
  check(count <= in.left() / size, ErrorCode::kBadFile, where, ": has ", count,
        " elements, but only ", in.left(), " bytes follow");
  std::vector<T> list;
  list.reserve(count);
  for (uint64_t i = 0; i < count; ++i) list.push_back(read());
  return list;
}

template <class Stored, class T>
std::vector<T> read_numbers(ByteReader& in, const std::string& where) {
  return read_list<T>(in, sizeof(Stored), where,
                      [&] { return static_cast<T>(in.number<Stored>()); });
}

MetaValue read_array(ByteReader& in, const std::string& where) {
  const auto type = static_cast<GgufType>(in.number<uint32_t>());
  switch (type) {
    case GgufType::kU8:
    case GgufType::kI8:
      return read_numbers<uint8_t, uint8_t>(in, where);
    case GgufType::kBool:
      return read_list<uint8_t>(in, 1, where,
                                [&] { return static_cast<uint8_t>(read_bool(in, where)); });
    case GgufType::kU16:
      return read_numbers<uint16_t, int64_t>(in, where);
    case GgufType::kI16:
      return read_numbers<int16_t, int64_t>(in, where);
    case GgufType::kU32:
      return read_numbers<uint32_t, int64_t>(in, where);
    case GgufType::kI32:
      return read_numbers<int32_t, int64_t>(in, where);
    case GgufType::kU64:
      return read_list<int64_t>(in, 8, where, [&] { return read_u64(in, where); });
    case GgufType::kI64:
      return read_numbers<int64_t, int64_t>(in, where);
    case GgufType::kF32:
      return read_numbers<float, float>(in, where);
    case GgufType::kF64:
      return read_list<float>(in, 8, where,
                              [&] { return static_cast<float>(in.number<double>()); });
    case GgufType::kString:
      return read_list<std::string>(
          in, 8, where, [&] { return std::string(read_gguf_string(in, kMaxString, where)); });
    case GgufType::kArray:
      fail(ErrorCode::kBadFile, where, ": is an array of arrays, which GGUF does not allow");
  }
  fail(ErrorCode::kBadFile, where, ": is an array of the unknown type ",
       static_cast<uint32_t>(type));
}

}  // namespace

std::string_view read_gguf_string(ByteReader& in, uint64_t limit, const std::string& where) {
  const auto size = in.number<uint64_t>();
  check(size <= limit, ErrorCode::kBadFile, where, ": has a string of ", size, " bytes, at most ",
        limit, " are allowed");
  return in.text(size);
}

MetaValue read_gguf_value(ByteReader& in, const std::string& where) {
  const auto type = static_cast<GgufType>(in.number<uint32_t>());
  switch (type) {
    case GgufType::kU8:
      return int64_t{in.number<uint8_t>()};
    case GgufType::kI8:
      return int64_t{in.number<int8_t>()};
    case GgufType::kU16:
      return int64_t{in.number<uint16_t>()};
    case GgufType::kI16:
      return int64_t{in.number<int16_t>()};
    case GgufType::kU32:
      return int64_t{in.number<uint32_t>()};
    case GgufType::kI32:
      return int64_t{in.number<int32_t>()};
    case GgufType::kU64:
      return read_u64(in, where);
    case GgufType::kI64:
      return in.number<int64_t>();
    case GgufType::kF32:
      return double{in.number<float>()};
    case GgufType::kF64:
      return in.number<double>();
    case GgufType::kBool:
      return read_bool(in, where);
    case GgufType::kString:
      return std::string(read_gguf_string(in, kMaxString, where));
    case GgufType::kArray:
      return read_array(in, where);
  }
  fail(ErrorCode::kBadFile, where, ": has the unknown type ", static_cast<uint32_t>(type));
}

}  // namespace tintype
