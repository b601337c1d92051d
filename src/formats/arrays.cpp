#include "formats/arrays.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "formats/gguf.h"
#include "formats/refuse.h"
#include "formats/safetensors.h"
#include "formats/safetensors_writer.h"

namespace tintype {
namespace {

constexpr std::pair<std::string_view, DType> kTypes[] = {
    {"F32", DType::kF32}, {"I64", DType::kI64}, {"I32", DType::kI32}};

DType type_of(const RawTensor& tensor, const std::string& where) {
  for (const auto& [stored, type] : kTypes)
    if (stored == tensor.dtype) return type;
  fail(ErrorCode::kUsage, where, ": has ", tensor.dtype, " values, needs F32, I64 or I32");
}

std::string stored_type(DType type) {
  for (const auto& [stored, t] : kTypes)
    if (t == type) return std::string(stored);
  fail(ErrorCode::kUsage, "arrays of ", type, " have no place in a file, needs f32, i64 or i32");
}

}  // namespace

NamedArrays parse_arrays(const File& file) {
  check(!looks_like_gguf(file.bytes()), ErrorCode::kBadFile, file.path(),
        ": is a GGUF file, needs to be safetensors");
  if (!looks_like_safetensors(file.bytes())) refuse_content(file);
  NamedArrays arrays;
  for (const auto& [name, tensor] : parse_safetensors(file).tensors) {
    Array array(tensor.shape, type_of(tensor, file.path() + ": " + name));
    std::copy(tensor.bytes.begin(), tensor.bytes.end(), array.bytes().begin());
    arrays.emplace(name, std::move(array));
  }
  return arrays;
}

NamedArrays read_arrays(const std::string& path) { return parse_arrays(*File::open(path)); }

std::vector<std::byte> write_arrays(const NamedArrays& arrays,
                                    const std::map<std::string, std::string>& metadata) {
  // Wide types first: PyTorch reads only tensors that start at a multiple of their element size.
  std::vector<NamedArrays::const_iterator> order;
  for (auto it = arrays.begin(); it != arrays.end(); ++it) order.push_back(it);
  std::stable_sort(order.begin(), order.end(), [](auto a, auto b) {
    return size_of(a->second.dtype()) > size_of(b->second.dtype());
  });

  std::vector<TensorEntry> entries;
  for (const auto& it : order)
    entries.push_back({it->first, stored_type(it->second.dtype()), it->second.shape()});
  std::vector<std::byte> out = safetensors_header(entries, metadata);
  for (const auto& it : order) {
    const auto bytes = it->second.bytes();
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  return out;
}

}  // namespace tintype
