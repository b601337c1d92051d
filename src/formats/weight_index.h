// One parsed weight file: every stored weight as a Parameter, and what else the file says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/os.h"
#include "tensor/parameter.h"
#include "tensor/shape.h"

namespace tintype {

// A metadata value. safetensors has strings only; GGUF has all of these. Integers of every width
// become int64_t, real numbers double; arrays of 8-bit numbers and of bools stay bytes.
using MetaValue = std::variant<bool, int64_t, double, std::string, std::vector<std::string>,
                               std::vector<float>, std::vector<int64_t>, std::vector<uint8_t>>;

// Bytes of a file under the type name of its container: "I64", "F8_E4M3". They may start anywhere.
struct RawTensor {
  std::string dtype;
  Shape shape;
  std::span<const std::byte> bytes;
};

// Parameters point into `file` and `owned`: the index outlives whoever uses them, and their
// addresses don't change.
struct WeightIndex {
  std::shared_ptr<const File> file;
  std::string container;                                     // "safetensors", "gguf"
  std::map<std::string, Parameter, std::less<>> parameters;  // by full name: "img_in.weight"
  std::map<std::string, RawTensor, std::less<>> others;      // no weights: position_ids
  std::map<std::string, MetaValue, std::less<>> metadata;
  std::vector<std::string> notices;      // harmless, but worth a line: "3 tensors were copied …"
  std::string header_hash;               // SHA-256, hex, of all bytes before the tensor data
  std::deque<std::vector<float>> owned;  // scales as f32, and tensors that the file misaligns
  uint64_t copied_bytes = 0;             // of the latter

  const std::string& path() const { return file->path(); }
  uint64_t file_bytes() const { return file->bytes().size(); }
  uint64_t weight_bytes() const;  // Σ stored_bytes of the parameters

  // `bytes`, or an owned copy of them if they don't start at a multiple of `alignment` (up to 4).
  std::span<const std::byte> aligned(std::span<const std::byte> bytes, size_t alignment);

  const Parameter* find(std::string_view name) const;  // null: no such weight
  // The metadata value `key`; null if it is absent or of another type.
  template <class T>
  const T* meta(std::string_view key) const {
    const auto it = metadata.find(key);
    return it == metadata.end() ? nullptr : std::get_if<T>(&it->second);
  }
  // How many parameters are stored in which way (see describe() in formats.h).
  std::map<std::string, size_t> format_counts() const;
};

// Opens and parses a weight file; the container is told by its content, never by its name. Throws
// kUsage for a missing file or a folder, kBadFile for anything wrong inside: "FILE: TENSOR: has …,
// needs …".
std::unique_ptr<WeightIndex> read_weights(const std::string& path, LoadMode mode = LoadMode::kMap);

// The same for a file that is open already.
std::unique_ptr<WeightIndex> parse_weights(std::shared_ptr<const File> file);

}  // namespace tintype
