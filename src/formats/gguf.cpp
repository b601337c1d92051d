#include "formats/gguf.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/rounding.h"
#include "formats/byte_reader.h"
#include "formats/checked.h"
#include "formats/formats.h"
#include "formats/gguf_values.h"

namespace tintype {
namespace {

constexpr uint64_t kMaxKey = 64 * 1024;   // bytes
constexpr uint64_t kMaxTensorName = 127;  // ggml's 63, and what image converters allow
constexpr uint32_t kMaxAxes = 4;
constexpr int64_t kDefaultAlignment = 32;  // bytes
constexpr int64_t kMaxAlignment = 1 << 20;
// The least that one key-value and one tensor info can take: bounds their counts.
constexpr uint64_t kMinPair = 8 + 4 + 1, kMinInfo = 8 + 4 + 8 + 4 + 8;

constexpr std::string_view kTypeNames[] = {
    "F32",     "F16",   "Q4_0",   "Q4_1",  "",      "",       "Q5_0", "Q5_1",    "Q8_0",
    "Q8_1",    "Q2_K",  "Q3_K",   "Q4_K",  "Q5_K",  "Q6_K",   "Q8_K", "IQ2_XXS", "IQ2_XS",
    "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S", "IQ2_S", "IQ4_XS", "I8",   "I16",     "I32",
    "I64",     "F64",   "IQ1_M",  "BF16",  "",      "",       "",     "TQ1_0",   "TQ2_0",
    "",        "",      "",       "MXFP4", "NVFP4", "Q1_0",   "Q2_0"};

struct Info {
  std::string name;
  const BlockFormat* format;
  Shape stored;  // outermost axis first
  uint64_t offset, bytes;
};

class Reader {
 public:
  explicit Reader(WeightIndex& index)
      : index_(index), path_(index.path()), in_(index.file->bytes(), path_) {}

  std::span<const std::byte> run() {
    in_.take(4);  // "GGUF"
    check_version(in_.number<uint32_t>());
    const auto tensors = in_.number<uint64_t>(), pairs = in_.number<uint64_t>();
    check(pairs <= in_.left() / kMinPair, ErrorCode::kBadFile, path_, ": announces ", pairs,
          " key-values, but only ", in_.left(), " bytes follow");
    for (uint64_t i = 0; i < pairs; ++i) read_pair();
    check(tensors <= in_.left() / kMinInfo, ErrorCode::kBadFile, path_, ": announces ", tensors,
          " tensors, but only ", in_.left(), " bytes follow");
    std::vector<Info> infos;
    for (uint64_t i = 0; i < tensors; ++i) infos.push_back(read_info());

    const uint64_t alignment = read_alignment();
    const auto padded = [&](uint64_t n) { return round_up(n, alignment); };
    const uint64_t data = padded(in_.position());
    const uint64_t end = check_layout(infos, padded);
    check_size(infos, data, end, padded(end));
    for (const Info& info : infos) bind(info, data);
    return index_.file->bytes().first(infos.empty() ? in_.position() : data);
  }

 private:
  std::string where(std::string_view name) const { return path_ + ": " + std::string(name); }

  void check_version(uint32_t version) const {
    check((version & 0xffff) != 0, ErrorCode::kBadFile, path_,
          ": is a big-endian GGUF file, needs little-endian");
    check(version == 2 || version == 3, ErrorCode::kBadFile, path_, ": is GGUF version ", version,
          ", needs 2 or 3");
  }

  void read_pair() {
    const std::string key(read_gguf_string(in_, kMaxKey, path_ + ": a metadata key"));
    check(!key.empty(), ErrorCode::kBadFile, path_, ": has a metadata key without a name");
    const std::string place = where(excerpt(key));
    const bool added = index_.metadata.emplace(key, read_gguf_value(in_, place)).second;
    check(added, ErrorCode::kBadFile, place, ": occurs twice in the metadata");
  }

  uint64_t read_alignment() const {
    constexpr std::string_view kKey = "general.alignment";
    if (!index_.metadata.contains(kKey)) return kDefaultAlignment;
    const auto* value = index_.meta<int64_t>(kKey);
    check(value && *value > 0 && *value <= kMaxAlignment && (*value & (*value - 1)) == 0,
          ErrorCode::kBadFile, where(kKey), ": needs a power of two up to ", kMaxAlignment);
    return static_cast<uint64_t>(*value);
  }

  Info read_info() {
    Info info;
    info.name = read_gguf_string(in_, kMaxTensorName, path_ + ": a tensor name");
    check_name(info.name, path_);
    const std::string place = where(info.name);

    const auto axes = in_.number<uint32_t>();
    check(axes >= 1 && axes <= kMaxAxes, ErrorCode::kBadFile, place, ": has ", axes,
          " axes, needs 1 to ", kMaxAxes);
    std::vector<Dim> dims;
    for (uint32_t i = 0; i < axes; ++i) {
      const auto dim = in_.number<uint64_t>();
      check(dim >= 1 && dim <= kMaxDim, ErrorCode::kBadFile, place, ": has an axis of ", dim,
            " elements, needs 1 to ", kMaxDim);
      dims.insert(dims.begin(), static_cast<Dim>(dim));  // the file puts the innermost axis first
    }
    info.stored = Shape(dims);
    info.format = format_of(in_.number<uint32_t>(), place);
    info.offset = in_.number<uint64_t>();

    const BlockCodec& codec = info.format->codec();
    check(info.stored.cols() % codec.values == 0, ErrorCode::kBadFile, place, ": has rows of ",
          info.stored.cols(), " elements, needs a multiple of ", codec.values, " for ",
          codec.type_name);
    const auto bytes = checked_bytes(info.stored, static_cast<uint64_t>(codec.values), codec.bytes);
    check(bytes.has_value(), ErrorCode::kBadFile, place, ": has the shape ", info.stored,
          ", which no file can hold");
    info.bytes = *bytes;
    return info;
  }

  const BlockFormat* format_of(uint32_t type, const std::string& place) const {
    for (const BlockFormat* format : block_formats())
      if (format->codec().gguf_type == type) return format;
    const std::string_view known = gguf_type_name(type);
    check(!known.empty(), ErrorCode::kBadFile, place, ": has the unknown type ", type);
    std::string readable;
    for (const BlockFormat* format : block_formats())
      readable += concat_text(readable.empty() ? "" : ", ", format->codec().type_name);
    fail(ErrorCode::kBadFile, place, ": has the type ", known, ", needs one of ", readable);
  }

  // As ggml demands: in the order of the infos, each right after the padding of the one before.
  // Returns where the last tensor ends.
  template <class Padded>
  uint64_t check_layout(const std::vector<Info>& infos, Padded padded) const {
    uint64_t end = 0;
    for (const Info& info : infos) {
      check(info.offset == padded(end), ErrorCode::kBadFile, where(info.name), ": starts at byte ",
            info.offset, " of the data, but the tensors before it need it at ", padded(end));
      end = info.offset + info.bytes;
      check(end <= kMaxFile, ErrorCode::kBadFile, where(info.name), ": ends at byte ", end,
            ", which no file can hold");
    }
    return end;
  }

  // The padding after the last tensor may be there or not.
  void check_size(const std::vector<Info>& infos, uint64_t data, uint64_t end,
                  uint64_t padded_end) const {
    const uint64_t size = index_.file_bytes();
    if (infos.empty()) {
      check(size <= data, ErrorCode::kBadFile, path_, ": has ", size - in_.position(),
            " surplus bytes after a header without tensors");
      return;
    }
    const auto cut = std::find_if(infos.begin(), infos.end(), [&](const Info& info) {
      return data + info.offset + info.bytes > size;
    });
    if (cut != infos.end()) fail_truncated(path_, cut->name, size, data + end);
    check(size == data + end || size == data + padded_end, ErrorCode::kBadFile, path_, ": has ",
          size - data - end, " surplus bytes after its last tensor, ", infos.back().name);
  }

  void bind(const Info& info, uint64_t data) {
    const auto bytes = index_.file->bytes().subspan(data + info.offset, info.bytes);
    Parameter p{.name = info.name,
                .format = info.format,
                .shape = logical_shape(info),
                .parts = {{index_.aligned(bytes, info.format->codec().alignment()), info.stored}},
                .file = index_.file};
    const bool added = index_.parameters.emplace(info.name, std::move(p)).second;
    check(added, ErrorCode::kBadFile, where(info.name), ": occurs twice");
  }

  // Converters flatten convolutions whose rows no block fits, and note the true shape here.
  Shape logical_shape(const Info& info) const {
    const std::string key = "comfy.gguf.orig_shape." + info.name;
    if (!index_.metadata.contains(key)) return info.stored;
    const auto* dims = index_.meta<std::vector<int64_t>>(key);
    check(dims && !dims->empty() && dims->size() <= kMaxRank &&
              std::all_of(dims->begin(), dims->end(), [](int64_t d) { return d >= 1; }),
          ErrorCode::kBadFile, where(key), ": needs 1 to ", kMaxRank, " positive integers");
    std::optional<uint64_t> elements = 1;
    for (const int64_t d : *dims)
      if (elements) elements = checked_multiply(*elements, static_cast<uint64_t>(d));
    check(elements == static_cast<uint64_t>(info.stored.elements()), ErrorCode::kBadFile,
          where(key), ": is ", Shape(*dims), ", but the tensor has ", info.stored.elements(),
          " elements");
    return Shape(*dims);
  }

  WeightIndex& index_;
  const std::string& path_;
  ByteReader in_;
};

}  // namespace

std::string_view gguf_type_name(uint32_t type) {
  return type < std::size(kTypeNames) ? kTypeNames[type] : std::string_view();
}

bool looks_like_gguf(std::span<const std::byte> bytes) {
  return bytes.size() >= 4 && std::memcmp(bytes.data(), "GGUF", 4) == 0;
}

std::span<const std::byte> parse_gguf(WeightIndex& index) { return Reader(index).run(); }

}  // namespace tintype
