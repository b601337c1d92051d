// Builds weight files byte by byte, right ones and wrong ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tintype::test {

// A safetensors file of this header and `data` zero bytes.
std::vector<std::byte> safetensors(std::string_view header, size_t data);

// One tensor of a safetensors file: its name, dtype and shape ("[2,3]") as written, and its data.
struct Stored {
  std::string name, dtype, shape;
  std::vector<std::byte> data;
};
std::vector<std::byte> safetensors(const std::vector<Stored>& tensors,
                                   std::string_view metadata = "{}");

Stored f32(std::string name, std::string shape, const std::vector<float>& values);
Stored i8(std::string name, std::string shape, const std::vector<int>& values);
Stored codes(std::string name, std::string dtype, std::string shape, size_t count, int code = 0);
Stored marker(std::string name, std::string_view json);

// Appends the pieces of a GGUF file.
class Gguf {
 public:
  explicit Gguf(uint64_t tensors, uint64_t pairs, uint32_t version = 3);

  Gguf& u8(uint8_t v) { return raw(&v, sizeof v); }
  Gguf& u32(uint32_t v) { return raw(&v, sizeof v); }
  Gguf& u64(uint64_t v) { return raw(&v, sizeof v); }
  Gguf& f32(float v) { return raw(&v, sizeof v); }
  Gguf& text(std::string_view v) { return u64(v.size()).raw(v.data(), v.size()); }
  Gguf& info(std::string_view name, const std::vector<uint64_t>& dims, uint32_t type,
             uint64_t offset);
  // Pads with zeros to a multiple of 32, then appends `size` zero bytes.
  Gguf& data(size_t size);
  Gguf& zeros(size_t size);

  std::vector<std::byte> bytes() const { return bytes_; }

 private:
  Gguf& raw(const void* data, size_t size);
  std::vector<std::byte> bytes_;
};

std::vector<std::byte> bytes_of(std::string_view text);

}  // namespace tintype::test
