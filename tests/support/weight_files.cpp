#include "support/weight_files.h"

#include <cstring>

namespace tintype::test {

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> safetensors(std::string_view header, size_t data) {
  const uint64_t size = header.size();
  std::vector<std::byte> out(sizeof size + header.size() + data);
  std::memcpy(out.data(), &size, sizeof size);
  std::memcpy(out.data() + sizeof size, header.data(), header.size());
  return out;
}

std::vector<std::byte> safetensors(const std::vector<Stored>& tensors, std::string_view metadata) {
  std::string header = "{\"__metadata__\":" + std::string(metadata);
  size_t at = 0;
  for (const Stored& t : tensors) {
    header += ",\"" + t.name + "\":{\"dtype\":\"" + t.dtype + "\",\"shape\":" + t.shape +
              ",\"data_offsets\":[" + std::to_string(at) + "," +
              std::to_string(at + t.data.size()) + "]}";
    at += t.data.size();
  }
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::vector<std::byte> out = safetensors(header, 0);
  for (const Stored& t : tensors) out.insert(out.end(), t.data.begin(), t.data.end());
  return out;
}

Stored f32(std::string name, std::string shape, const std::vector<float>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {std::move(name), "F32", std::move(shape), {bytes.begin(), bytes.end()}};
}

Stored i8(std::string name, std::string shape, const std::vector<int>& values) {
  Stored out{std::move(name), "I8", std::move(shape), {}};
  for (const int v : values) out.data.push_back(static_cast<std::byte>(static_cast<int8_t>(v)));
  return out;
}

Stored codes(std::string name, std::string dtype, std::string shape, size_t count, int code) {
  return {std::move(name), std::move(dtype), std::move(shape),
          std::vector<std::byte>(count, static_cast<std::byte>(code))};
}

Stored marker(std::string name, std::string_view json) {
  return {std::move(name), "U8", "[" + std::to_string(json.size()) + "]", bytes_of(json)};
}

Gguf::Gguf(uint64_t tensors, uint64_t pairs, uint32_t version) {
  raw("GGUF", 4).u32(version).u64(tensors).u64(pairs);
}

Gguf& Gguf::info(std::string_view name, const std::vector<uint64_t>& dims, uint32_t type,
                 uint64_t offset) {
  text(name).u32(static_cast<uint32_t>(dims.size()));
  for (const uint64_t d : dims) u64(d);
  return u32(type).u64(offset);
}

Gguf& Gguf::data(size_t size) {
  bytes_.resize((bytes_.size() + 31) / 32 * 32);
  return zeros(size);
}

Gguf& Gguf::zeros(size_t size) {
  bytes_.resize(bytes_.size() + size);
  return *this;
}

Gguf& Gguf::raw(const void* data, size_t size) {
  const auto* p = static_cast<const std::byte*>(data);
  bytes_.insert(bytes_.end(), p, p + size);
  return *this;
}

}  // namespace tintype::test
