#include "formats/safetensors.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "formats/byte_reader.h"
#include "formats/checked.h"
#include "formats/json.h"

namespace tintype {
namespace {

constexpr uint64_t kAnyHeader = uint64_t{1} << 40;  // more than that is text, not a size
constexpr uint64_t kMaxHeader = 100'000'000;        // bytes; the limit of the Rust reader

struct StoredType {
  std::string_view name;
  size_t size;
};
constexpr StoredType kTypes[] = {
    {"F32", 4},     {"F16", 2}, {"BF16", 2}, {"F8_E4M3", 1}, {"F8_E5M2", 1}, {"F64", 8},
    {"F8_E8M0", 1}, {"I8", 1},  {"U8", 1},   {"BOOL", 1},    {"I16", 2},     {"U16", 2},
    {"I32", 4},     {"U32", 4}, {"I64", 8},  {"U64", 8},
};

struct Entry {
  std::string name;
  std::string dtype;
  Shape shape;
  uint64_t begin, end;  // relative to the end of the header
};

const Json& field(const Json& item, std::string_view key, Json::Kind kind,
                  const std::string& where) {
  const Json* value = item.find(key);
  check(value != nullptr && value->is(kind), ErrorCode::kBadFile, where, ": needs a valid ", key);
  return *value;
}

Shape read_shape(const Json& list, const std::string& where) {
  check(list.items.size() <= kMaxRank, ErrorCode::kBadFile, where, ": has ", list.items.size(),
        " axes, at most ", kMaxRank, " are supported");
  std::vector<Dim> dims;
  for (const Json& item : list.items) {
    check(item.is(Json::Kind::kWhole) && item.whole <= kMaxDim, ErrorCode::kBadFile, where,
          ": needs whole numbers as its shape");
    dims.push_back(static_cast<Dim>(item.whole));
  }
  return Shape(dims);
}

Entry read_entry(const std::string& name, const Json& item, const std::string& path) {
  check_name(name, path);
  const std::string where = path + ": " + name;
  check(item.is(Json::Kind::kObject) && item.keys.size() == 3, ErrorCode::kBadFile, where,
        ": needs dtype, shape and data_offsets, and nothing else");
  const std::string& dtype = field(item, "dtype", Json::Kind::kString, where).text;
  const auto size = safetensors_type_size(dtype);
  check(size.has_value(), ErrorCode::kBadFile, where, ": has the unknown dtype ", excerpt(dtype));

  const Shape shape = read_shape(field(item, "shape", Json::Kind::kArray, where), where);
  const auto needed = checked_bytes(shape, 1, *size);
  check(needed.has_value(), ErrorCode::kBadFile, where, ": has the shape ", shape,
        ", which no file can hold");

  const auto& offsets = field(item, "data_offsets", Json::Kind::kArray, where).items;
  check(offsets.size() == 2 && offsets[0].is(Json::Kind::kWhole) &&
            offsets[1].is(Json::Kind::kWhole) && offsets[0].whole <= offsets[1].whole,
        ErrorCode::kBadFile, where, ": needs two ascending whole numbers as data_offsets");
  const uint64_t begin = offsets[0].whole, end = offsets[1].whole;
  check(end - begin == *needed, ErrorCode::kBadFile, where, ": has ", end - begin, " bytes, but ",
        dtype, " ", shape, " needs ", *needed);
  return {name, dtype, shape, begin, end};
}

// Sorts the entries by place; they have to cover the `available` bytes exactly, each once.
void check_layout(std::vector<Entry>& entries, uint64_t header, uint64_t available,
                  const std::string& path) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  uint64_t at = 0;
  std::string_view before = "the header";
  for (const Entry& e : entries) {
    check(e.begin >= at, ErrorCode::kBadFile, path, ": ", e.name, ": has bytes ", e.begin, "..",
          e.end, ", which overlap those of ", before, " up to ", at);
    check(e.begin <= at, ErrorCode::kBadFile, path, ": ", e.name, ": starts at byte ", e.begin,
          ", but ", before, " ends at ", at, " and no tensor owns what is between");
    at = e.end;
    before = e.name;
  }
  check(at <= kMaxFile, ErrorCode::kBadFile, path, ": ", before, ": ends at byte ", at,
        ", which no file can hold");
  const auto cut = std::find_if(entries.begin(), entries.end(),
                                [&](const Entry& e) { return e.end > available; });
  if (cut != entries.end()) fail_truncated(path, cut->name, header + available, header + at);
  check(at == available, ErrorCode::kBadFile, path, ": has ", available - at,
        " surplus bytes after its last tensor, ", before);
}

std::map<std::string, std::string, std::less<>> read_metadata(const Json& item,
                                                              const std::string& path) {
  check(item.is(Json::Kind::kObject), ErrorCode::kBadFile, path,
        ": __metadata__: needs to be an object of strings");
  std::map<std::string, std::string, std::less<>> metadata;
  for (size_t i = 0; i < item.keys.size(); ++i) {
    check(item.items[i].is(Json::Kind::kString), ErrorCode::kBadFile, path,
          ": __metadata__: needs a string as ", excerpt(item.keys[i]));
    metadata[item.keys[i]] = item.items[i].text;
  }
  return metadata;
}

}  // namespace

std::optional<size_t> safetensors_type_size(std::string_view dtype) {
  for (const StoredType& type : kTypes)
    if (type.name == dtype) return type.size;
  return std::nullopt;
}

bool looks_like_safetensors(std::span<const std::byte> bytes) {
  uint64_t header = 0;
  if (bytes.size() <= sizeof header) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header >= 2 && header < kAnyHeader && bytes[sizeof header] == std::byte{'{'};
}

Safetensors parse_safetensors(const File& file) {
  const std::string& path = file.path();
  ByteReader in(file.bytes(), path);
  const auto header_size = in.number<uint64_t>();
  check(header_size <= kMaxHeader, ErrorCode::kBadFile, path, ": has a header of ", header_size,
        " bytes, at most ", kMaxHeader, " are allowed");
  const Json root = parse_json(in.text(header_size), path + ": header");
  check(root.is(Json::Kind::kObject), ErrorCode::kBadFile, path,
        ": header: needs to be a JSON object");

  Safetensors out;
  std::vector<Entry> entries;
  for (size_t i = 0; i < root.keys.size(); ++i) {
    if (root.keys[i] == "__metadata__")
      out.metadata = read_metadata(root.items[i], path);
    else
      entries.push_back(read_entry(root.keys[i], root.items[i], path));
  }
  check_layout(entries, in.position(), in.left(), path);

  const auto data = file.bytes().subspan(in.position());
  for (Entry& e : entries)
    out.tensors[std::move(e.name)] = {std::move(e.dtype), e.shape,
                                      data.subspan(e.begin, e.end - e.begin)};
  out.header = file.bytes().first(in.position());
  return out;
}

}  // namespace tintype
