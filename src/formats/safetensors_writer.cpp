#include "formats/safetensors_writer.h"

#include <cstring>

#include "base/error.h"
#include "formats/json.h"
#include "formats/safetensors.h"

namespace tintype {
namespace {

constexpr size_t kDataAlignment = 64;  // bytes

uint64_t size_of(const TensorEntry& entry) {
  const auto element = safetensors_type_size(entry.type);
  TINTYPE_ASSERT(element.has_value());
  return static_cast<uint64_t>(entry.shape.elements()) * *element;
}

}  // namespace

std::vector<std::byte> safetensors_header(std::span<const TensorEntry> entries,
                                          const std::map<std::string, std::string>& metadata) {
  std::string json = "{\"__metadata__\":{";
  for (const auto& [key, value] : metadata)
    json += concat_text(json.ends_with('{') ? "" : ",", json_quote(key), ":", json_quote(value));
  json += "}";
  uint64_t at = 0;
  for (const TensorEntry& entry : entries) {
    const uint64_t end = at + size_of(entry);
    std::string dims;
    for (const Dim d : entry.shape.dims()) dims += concat_text(dims.empty() ? "" : ",", d);
    json += concat_text(",", json_quote(entry.name), ":{\"dtype\":\"", entry.type, "\",\"shape\":[",
                        dims, "],\"data_offsets\":[", at, ",", end, "]}");
    at = end;
  }
  json += "}";

  uint64_t length = json.size();
  const size_t unpadded = sizeof length + json.size();
  length += (kDataAlignment - unpadded % kDataAlignment) % kDataAlignment;
  std::vector<std::byte> header(sizeof length + length, std::byte{' '});
  std::memcpy(header.data(), &length, sizeof length);
  std::memcpy(header.data() + sizeof length, json.data(), json.size());
  return header;
}

WeightWriter write_safetensors(const std::string& path, std::span<const TensorEntry> entries,
                               const std::map<std::string, std::string>& metadata, bool replace) {
  std::vector<uint64_t> sizes;
  for (const TensorEntry& entry : entries) sizes.push_back(size_of(entry));
  return WeightWriter(path, replace, safetensors_header(entries, metadata), std::move(sizes),
                      /*alignment=*/1);
}

}  // namespace tintype
