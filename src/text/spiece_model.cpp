// Field numbers are those of sentencepiece_model.proto (google/sentencepiece 0.2).
#include "text/spiece_model.h"

#include <bit>
#include <optional>
#include <utility>

#include "base/error.h"

namespace tintype {
namespace {

using Bytes = std::span<const std::byte>;

// The fields of one protobuf message, in file order. Each value is read by the getter of the type
// that it should have.
class Message {
 public:
  Message(Bytes bytes, const std::string& source, std::string_view name,
          std::optional<size_t> index = {})
      : rest_(bytes), source_(source), name_(name), index_(index) {}

  // Moves to the next field; false at the end. A value that was not asked for is skipped.
  bool next() {
    if (std::exchange(pending_, false)) skip();
    if (rest_.empty()) return false;
    const uint64_t key = varint();
    field_ = key >> 3;
    wire_ = key & 7;
    pending_ = true;
    return true;
  }

  uint64_t field() const { return field_; }

  int32_t integer(std::string_view name) {
    expect(kVarint, name);
    return static_cast<int32_t>(varint());  // protobuf's own rule for int32: the low 32 bits
  }

  bool flag(std::string_view name) { return integer(name) != 0; }

  float real(std::string_view name) {
    expect(kFixed32, name);
    uint32_t bits = 0;
    const Bytes bytes = take(4);
    for (size_t i = 4; i-- > 0;) bits = bits << 8 | std::to_integer<uint32_t>(bytes[i]);
    return std::bit_cast<float>(bits);
  }

  Bytes bytes(std::string_view name) {
    expect(kLength, name);
    return take(varint());
  }

  std::string text(std::string_view name) {
    const Bytes found = bytes(name);
    return {reinterpret_cast<const char*>(found.data()), found.size()};
  }

  template <class... Parts>
  [[noreturn]] void fail_here(const Parts&... parts) const {
    const std::string index = index_ ? concat_text("[", *index_, "]") : "";
    fail(ErrorCode::kBadFile, "tokenizer ", source_, ": ", name_, index, parts...);
  }

 private:
  enum Wire : uint64_t { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };

  void expect(Wire wire, std::string_view name) {
    if (wire_ != wire)
      fail_here(".", name, " is stored as wire type ", wire_, ", but it needs ", uint64_t{wire});
    pending_ = false;
  }

  void skip() {
    switch (wire_) {
      case kVarint:
        varint();
        break;
      case kFixed64:
        take(8);
        break;
      case kLength:
        take(varint());
        break;
      case kFixed32:
        take(4);
        break;
      default:
        fail_here(" has field ", field_, " of unknown wire type ", wire_);
    }
  }

  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = std::to_integer<uint64_t>(take(1)[0]);
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    fail_here(" has a number of more than 10 bytes");
  }

  Bytes take(uint64_t count) {
    if (count > rest_.size())
      fail_here(" has a field of ", count, " bytes, but only ", rest_.size(), " are left");
    const Bytes taken = rest_.first(static_cast<size_t>(count));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }

  Bytes rest_;
  const std::string& source_;
  std::string_view name_;
  std::optional<size_t> index_;
  uint64_t field_ = 0, wire_ = 0;
  bool pending_ = false;  // the value of the current field has not been read
};

void read_piece(Bytes bytes, SpieceModel& model) {
  Message in(bytes, model.source, "pieces", model.pieces.size());
  std::string text;
  float score = 0;
  auto type = PieceType::kNormal;
  while (in.next()) {
    switch (in.field()) {
      case 1:
        text = in.text("piece");
        break;
      case 2:
        score = in.real("score");
        break;
      case 3:
        type = static_cast<PieceType>(in.integer("type"));
        break;
      default:
        break;
    }
  }
  model.pieces.push_back(std::move(text));
  model.scores.push_back(score);
  model.types.push_back(type);
}

void read_trainer_spec(Bytes bytes, SpieceModel& model) {
  constexpr int32_t kUnigram = 1;
  Message in(bytes, model.source, "trainer_spec");
  while (in.next()) {
    switch (in.field()) {
      case 3:
        if (const int32_t type = in.integer("model_type"); type != kUnigram)
          in.fail_here(".model_type is ", type, ", but only 1 (unigram) can be used here");
        break;
      case 24:
        if (in.flag("treat_whitespace_as_suffix"))
          in.fail_here(".treat_whitespace_as_suffix is set, but spaces must lead a word");
        break;
      case 35:
        if (in.flag("byte_fallback"))
          in.fail_here(".byte_fallback is set, but unknown characters must be <unk>");
        break;
      case 42:
        model.eos = in.integer("eos_id");
        break;
      case 43:
        model.pad = in.integer("pad_id");
        break;
      default:
        break;
    }
  }
}

void read_normalizer_spec(Bytes bytes, SpieceModel& model) {
  Message in(bytes, model.source, "normalizer_spec");
  while (in.next()) {
    switch (in.field()) {
      case 2: {
        const Bytes charsmap = in.bytes("precompiled_charsmap");
        model.charsmap.assign(charsmap.begin(), charsmap.end());
        break;
      }
      case 3:
        model.add_space_prefix = in.flag("add_dummy_prefix");
        break;
      case 4:
        model.remove_extra_spaces = in.flag("remove_extra_whitespaces");
        break;
      case 5:
        if (!in.flag("escape_whitespaces"))
          in.fail_here(".escape_whitespaces is not set, but pieces must spell a space as U+2581");
        break;
      default:
        break;
    }
  }
}

}  // namespace

SpieceModel read_spiece_model(Bytes bytes, std::string source) {
  SpieceModel model;
  model.source = std::move(source);
  Message in(bytes, model.source, "model");
  while (in.next()) {
    switch (in.field()) {
      case 1:
        read_piece(in.bytes("pieces"), model);
        break;
      case 2:
        read_trainer_spec(in.bytes("trainer_spec"), model);
        break;
      case 3:
        read_normalizer_spec(in.bytes("normalizer_spec"), model);
        break;
      default:
        break;
    }
  }
  return model;
}

}  // namespace tintype
