#include "text/t5_tokenizer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "formats/checked.h"
#include "text/charsmap.h"
#include "text/unicode.h"
#include "text/vocabulary.h"

namespace tintype {
namespace {

constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  // U+2581, how pieces spell a space
constexpr size_t kMaxPieceBytes = 256;                   // T5's longest has 20
constexpr float kUnknownPenalty = 10.0f;                 // below the lowest score of all pieces

// The normal pieces as a tree of bytes.
class PieceTree {
 public:
  using Node = uint32_t;
  static constexpr Node kRoot = 0;

  void reserve(size_t nodes) { children_.reserve(nodes); }

  // False if it is there already.
  bool add(std::string_view piece, int32_t id) {
    Node node = kRoot;
    for (const char byte : piece) {
      const auto [child, is_new] =
          children_.emplace(key(node, byte), static_cast<Node>(ids_.size()));
      if (is_new) ids_.push_back(kNoPiece);
      node = child->second;
    }
    return std::exchange(ids_[node], id) == kNoPiece;
  }

  std::optional<Node> child(Node node, char byte) const {
    const auto found = children_.find(key(node, byte));
    return found == children_.end() ? std::nullopt : std::optional(found->second);
  }

  // The piece that ends at a node.
  std::optional<int32_t> piece(Node node) const {
    return ids_[node] == kNoPiece ? std::nullopt : std::optional(ids_[node]);
  }

 private:
  static constexpr int32_t kNoPiece = -1;
  static uint64_t key(Node node, char byte) {
    return uint64_t{node} << 8 | static_cast<uint8_t>(byte);
  }

  std::unordered_map<uint64_t, Node> children_;  // (node, byte) -> child
  std::vector<int32_t> ids_{kNoPiece};           // by node
};

// Bytes of the character that starts with `lead`, in well-formed UTF-8.
size_t character_bytes(char lead) {
  const auto byte = static_cast<uint8_t>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// Writes spaces as U+2581. Extra ones are those at both ends and all but one of a run; at the end
// they include U+2581 that the text brought along.
std::string mark_spaces(std::string_view text, bool add_prefix, bool remove_extra) {
  if (remove_extra) text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  if (text.empty()) return {};

  std::string marked(add_prefix ? kSpaceMark : "");
  bool after_space = false;
  for (const char byte : text) {
    const bool is_space = byte == ' ';
    if (!is_space)
      marked += byte;
    else if (!after_space || !remove_extra)
      marked += kSpaceMark;
    after_space = is_space;
  }
  while (remove_extra && marked.ends_with(kSpaceMark))
    marked.resize(marked.size() - kSpaceMark.size());
  return marked;
}

class T5Tokenizer final : public Tokenizer {
 public:
  explicit T5Tokenizer(SpieceModel model)
      : model_(std::move(model)), charsmap_(model_.charsmap, model_.source) {
    require_sizes();
    pieces_.reserve(4 * model_.pieces.size());
    float lowest = std::numeric_limits<float>::max();
    for (size_t i = 0; i < model_.pieces.size(); ++i) {
      add_piece(i);
      if (model_.types[i] == PieceType::kNormal) lowest = std::min(lowest, model_.scores[i]);
    }
    require(unknown_ >= 0, "pieces have none of type 2 (unknown), but one is needed");
    unknown_score_ = lowest - kUnknownPenalty;
  }

  Tokens encode(std::string_view text) const override {
    Tokens tokens{content(text), {}};
    for (const int32_t id : tokens.ids)
      tokens.pieces.push_back(model_.pieces[static_cast<size_t>(id)]);
    return tokens;
  }

  std::vector<int32_t> frame(std::string_view text, Dim length) const override {
    std::vector<int32_t> ids = content(text);
    ids.push_back(model_.eos);
    ids.resize(std::max(ids.size(), static_cast<size_t>(std::max<Dim>(length, 0))), model_.pad);
    return ids;
  }

  Dim rows() const override { return static_cast<Dim>(model_.pieces.size()); }
  const std::string& source() const override { return model_.source; }

 private:
  template <class... Parts>
  void require(bool ok, const Parts&... parts) const {
    check(ok, ErrorCode::kBadFile, "tokenizer ", model_.source, ": ", parts...);
  }

  void require_sizes() const {
    const size_t count = model_.pieces.size();
    require(count <= std::numeric_limits<int32_t>::max(), "has ", count, " pieces: too many");
    require(count > 0, "has no pieces");
    require(model_.scores.size() == count, "has ", count, " pieces, but ", model_.scores.size(),
            " scores");
    require(model_.types.size() == count, "has ", count, " pieces, but ", model_.types.size(),
            " types");
    for (const auto& [name, id] : {std::pair("eos", model_.eos), std::pair("pad", model_.pad)})
      require(id >= 0 && static_cast<size_t>(id) < count, name, " id is ", id,
              ", but ids must be below the number of pieces, ", count);
  }

  // Control pieces and the like never match text.
  void add_piece(size_t index) {
    const std::string& piece = model_.pieces[index];
    const auto id = static_cast<int32_t>(index);
    const auto type = model_.types[index];
    require(type >= PieceType::kNormal && type <= PieceType::kByte, "pieces[", index, "].type is ",
            static_cast<int32_t>(type), ", but types are 1 to 6");
    require(type != PieceType::kByte, "pieces[", index,
            "].type is 6 (byte), but unknown characters must be <unk>");
    require(repair_utf8(piece) == piece, "pieces[", index, "] is not valid UTF-8");
    if (type == PieceType::kUnknown) {
      require(unknown_ < 0, "pieces[", index, "].type is 2 (unknown), but so is that of ",
              unknown_);
      unknown_ = id;
    }
    if (type != PieceType::kNormal) return;

    require(!piece.empty() && piece.size() <= kMaxPieceBytes, "pieces[", index, "] has ",
            piece.size(), " bytes, but it needs 1 to ", kMaxPieceBytes);
    require(std::isfinite(model_.scores[index]), "pieces[", index, "].score is ",
            model_.scores[index]);
    require(pieces_.add(piece, id), "pieces[", index, "] is there twice: ", excerpt(piece));
  }

  // What the pieces are matched against. Repaired again because a charsmap may cut characters.
  std::string normal_form(std::string_view text) const {
    return mark_spaces(repair_utf8(charsmap_.rewrite(repair_utf8(text))), model_.add_space_prefix,
                       model_.remove_extra_spaces);
  }

  // The best way to reach a place in the text: the last piece, and the sum of all scores.
  struct Arrival {
    float score = 0;  // in float, as SentencePiece does: rounding decides between equal splits
    int32_t id = 0;
    uint32_t bytes = 0;  // of the last piece; 0 while the place was not reached
  };

  // Viterbi: ids of the split with the highest sum; of equal ones the first found stays.
  std::vector<int32_t> content(std::string_view text) const {
    const std::string normal = normal_form(text);
    std::vector<Arrival> best(normal.size() + 1);
    for (size_t at = 0; at < normal.size(); ++at)
      if (at == 0 || best[at].bytes > 0) extend(normal, at, best);

    std::vector<int32_t> ids;
    for (size_t at = normal.size(); at > 0; at -= best[at].bytes)
      if (const int32_t id = best[at].id; id != unknown_ || ids.empty() || ids.back() != id)
        ids.push_back(id);  // neighbouring unknowns are one unknown
    std::reverse(ids.begin(), ids.end());
    return ids;
  }

  // Tries every piece that starts at `at`; a character that is no piece by itself is unknown.
  void extend(std::string_view text, size_t at, std::vector<Arrival>& best) const {
    const auto arrive = [&](size_t bytes, int32_t id, float score) {
      Arrival& there = best[at + bytes];
      const float sum = best[at].score + score;
      if (there.bytes == 0 || sum > there.score) there = {sum, id, static_cast<uint32_t>(bytes)};
    };

    const size_t character = character_bytes(text[at]);
    bool is_piece = false;
    std::optional<PieceTree::Node> node = PieceTree::kRoot;
    for (size_t end = at; end < text.size(); ++end) {
      node = pieces_.child(*node, text[end]);
      if (!node) break;
      if (const auto id = pieces_.piece(*node)) {
        arrive(end + 1 - at, *id, model_.scores[static_cast<size_t>(*id)]);
        is_piece |= end + 1 - at == character;
      }
    }
    if (!is_piece) arrive(character, unknown_, unknown_score_);
  }

  SpieceModel model_;
  Charsmap charsmap_;
  PieceTree pieces_;
  int32_t unknown_ = -1;
  float unknown_score_ = 0;
};

}  // namespace

std::unique_ptr<Tokenizer> t5_tokenizer(SpieceModel model) {
  return std::make_unique<T5Tokenizer>(std::move(model));
}

std::unique_ptr<Tokenizer> t5_tokenizer() {
  const std::string_view bytes = t5_spiece_model();
  return t5_tokenizer(read_spiece_model(std::as_bytes(std::span(bytes)), "compiled in"));
}

}  // namespace tintype
