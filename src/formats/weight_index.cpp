#include "formats/weight_index.h"

#include <cstring>

#include "base/error.h"
#include "base/sha256.h"
#include "formats/bind.h"
#include "formats/formats.h"
#include "formats/gguf.h"
#include "formats/refuse.h"
#include "formats/safetensors.h"

namespace tintype {

uint64_t WeightIndex::weight_bytes() const {
  uint64_t sum = 0;
  for (const auto& [name, p] : parameters) sum += p.stored_bytes();
  return sum;
}

const Parameter* WeightIndex::find(std::string_view name) const {
  const auto it = parameters.find(name);
  return it == parameters.end() ? nullptr : &it->second;
}

std::map<std::string, size_t> WeightIndex::format_counts() const {
  std::map<std::string, size_t> counts;
  for (const auto& [name, p] : parameters) ++counts[describe(p)];
  return counts;
}

std::span<const std::byte> WeightIndex::aligned(std::span<const std::byte> bytes,
                                                size_t alignment) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignment == 0) return bytes;
  std::vector<float>& copy = owned.emplace_back((bytes.size() + sizeof(float) - 1) / sizeof(float));
  std::memcpy(copy.data(), bytes.data(), bytes.size());
  copied_bytes += bytes.size();
  return std::as_bytes(std::span(copy)).first(bytes.size());
}

std::unique_ptr<WeightIndex> parse_weights(std::shared_ptr<const File> file) {
  auto index = std::make_unique<WeightIndex>();
  index->file = std::move(file);
  const auto bytes = index->file->bytes();
  std::span<const std::byte> header;
  if (looks_like_gguf(bytes)) {
    index->container = "gguf";
    header = parse_gguf(*index);
  } else if (looks_like_safetensors(bytes)) {
    index->container = "safetensors";
    const Safetensors parsed = parse_safetensors(*index->file);
    header = parsed.header;
    index->metadata.insert(parsed.metadata.begin(), parsed.metadata.end());
    bind_weights(parsed, *index);
  } else {
    refuse_content(*index->file);
  }
  index->header_hash = sha256_hex(header);
  if (index->copied_bytes > 0)
    index->notices.push_back(
        concat_text(index->copied_bytes, " bytes of tensors at odd places were copied to memory"));
  check(!index->file->damaged(), ErrorCode::kFailed, index->path(), ": was cut while in use");
  return index;
}

std::unique_ptr<WeightIndex> read_weights(const std::string& path, LoadMode mode) {
  return parse_weights(File::open(path, mode));
}

}  // namespace tintype
