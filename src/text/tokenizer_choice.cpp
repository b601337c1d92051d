#include "text/tokenizer_choice.h"

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/os.h"
#include "formats/checked.h"
#include "text/t5_tokenizer.h"

namespace tintype {
namespace {

namespace fs = std::filesystem;

// T5's embeddings have room for 100 sentinels that no prompt contains, and may be padded to a
// multiple of 128.
constexpr Dim kT5Pieces = 32000, kT5MostRows = 32128;

// The value of a key, null if it is absent; of any other type it is an error.
template <class T>
const T* optional_meta(const WeightIndex& weights, std::string_view key) {
  const T* value = weights.meta<T>(key);
  check(value || !weights.metadata.contains(key), ErrorCode::kBadFile, weights.path(), ": ", key,
        " has the wrong type");
  return value;
}

template <class T>
const T& required_meta(const WeightIndex& weights, std::string_view key) {
  const T* value = optional_meta<T>(weights, key);
  check(value, ErrorCode::kBadFile, weights.path(), ": ", key,
        " is missing, but tokenizer.ggml.tokens needs it");
  return *value;
}

template <class T>
void read_meta(const WeightIndex& weights, std::string_view key, T& value) {
  if (const T* found = optional_meta<T>(weights, key)) value = *found;
}

int32_t to_int32(const WeightIndex& weights, std::string_view key, int64_t value) {
  check(value >= INT32_MIN && value <= INT32_MAX, ErrorCode::kBadFile, weights.path(), ": ", key,
        " holds ", value, ", but it needs 32-bit numbers");
  return static_cast<int32_t>(value);
}

void read_id(const WeightIndex& weights, std::string_view key, int32_t& id) {
  if (const auto* found = optional_meta<int64_t>(weights, key)) id = to_int32(weights, key, *found);
}

SpieceModel gguf_model(const WeightIndex& weights) {
  const auto& kind = required_meta<std::string>(weights, "tokenizer.ggml.model");
  check(kind == "t5", ErrorCode::kBadFile, weights.path(), ": tokenizer.ggml.model is ",
        excerpt(kind), ", but a T5 encoder needs t5");

  SpieceModel model;
  model.pieces = required_meta<std::vector<std::string>>(weights, "tokenizer.ggml.tokens");
  model.scores = required_meta<std::vector<float>>(weights, "tokenizer.ggml.scores");
  constexpr std::string_view kTypes = "tokenizer.ggml.token_type";
  for (const int64_t type : required_meta<std::vector<int64_t>>(weights, kTypes))
    model.types.push_back(static_cast<PieceType>(to_int32(weights, kTypes, type)));
  if (const auto* charsmap =
          optional_meta<std::vector<uint8_t>>(weights, "tokenizer.ggml.precompiled_charsmap")) {
    const auto bytes = std::as_bytes(std::span(*charsmap));
    model.charsmap.assign(bytes.begin(), bytes.end());
  }
  read_id(weights, "tokenizer.ggml.eos_token_id", model.eos);
  read_id(weights, "tokenizer.ggml.padding_token_id", model.pad);
  read_meta(weights, "tokenizer.ggml.add_space_prefix", model.add_space_prefix);
  read_meta(weights, "tokenizer.ggml.remove_extra_whitespaces", model.remove_extra_spaces);
  return model;
}

bool is_file(const fs::path& path) {
  std::error_code unreadable;  // counts as absent
  return fs::is_regular_file(path, unreadable);
}

// The first file that exists of NAME.spiece.model, for ever shorter NAME, and spiece.model.
std::optional<fs::path> spiece_file_beside(const fs::path& weights) {
  std::string name = weights.stem().string();
  while (!name.empty()) {
    const fs::path candidate = weights.parent_path() / (name + ".spiece.model");
    if (is_file(candidate)) return candidate;
    const size_t cut = name.find_last_of("_-.");
    name.resize(cut == name.npos ? 0 : cut);
  }
  const fs::path plain = weights.parent_path() / "spiece.model";
  return is_file(plain) ? std::optional(plain) : std::nullopt;
}

std::optional<SpieceModel> spiece_model_beside(const WeightIndex& weights) {
  const auto path = spiece_file_beside(weights.path());
  if (!path) return std::nullopt;
  const auto file = File::open(path->string(), LoadMode::kRead);
  return read_spiece_model(file->bytes(),
                           "beside " + weights.path() + " (" + path->filename().string() + ")");
}

}  // namespace

std::optional<SpieceModel> stored_spiece_model(const WeightIndex& weights) {
  const std::string source = "in " + weights.path();
  if (const auto found = weights.others.find("spiece_model"); found != weights.others.end()) {
    const RawTensor& tensor = found->second;
    check(tensor.dtype == "U8", ErrorCode::kBadFile, weights.path(), ": spiece_model is ",
          tensor.dtype, ", but bytes are U8");
    return read_spiece_model(tensor.bytes, source);
  }
  if (!weights.metadata.contains("tokenizer.ggml.tokens")) return std::nullopt;
  SpieceModel model = gguf_model(weights);
  model.source = source;
  return model;
}

std::unique_ptr<Tokenizer> choose_t5_tokenizer(const WeightIndex& weights, Dim rows) {
  auto model = stored_spiece_model(weights);
  if (!model) model = spiece_model_beside(weights);
  if (!model) {
    check(rows >= kT5Pieces && rows <= kT5MostRows, ErrorCode::kBadFile, weights.path(),
          ": its embedding has ", rows,
          " rows, so it needs a vocabulary of its own, but there is "
          "none in it and no spiece.model beside it (T5's own fits ",
          kT5Pieces, " to ", kT5MostRows, " rows)");
    return t5_tokenizer();
  }
  auto tokenizer = t5_tokenizer(std::move(*model));
  check(tokenizer->rows() <= rows, ErrorCode::kBadFile, "tokenizer ", tokenizer->source(), ": has ",
        tokenizer->rows(), " pieces, but the embedding has ", rows, " rows");
  return tokenizer;
}

}  // namespace tintype
