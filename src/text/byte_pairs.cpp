#include "text/byte_pairs.h"

#include <functional>
#include <queue>
#include <utility>

#include "base/error.h"
#include "text/unicode.h"

namespace tintype {
namespace {

constexpr size_t kNone = static_cast<size_t>(-1);  // what precedes place 0

// One piece of a word while it is merged: a list that shrinks in place.
struct Symbol {
  int32_t id;  // -1 once it has been merged into its left neighbour
  size_t previous, next;
};

// Printable ASCII and Latin-1 but for the soft hyphen.
bool is_printable(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xFF && byte != 0xAD);
}

// Bytes in the order of their ids: the printable ones first.
std::vector<int> byte_order() {
  std::vector<int> order;
  for (const bool printable : {true, false})
    for (int byte = 0; byte < 256; ++byte)
      if (is_printable(byte) == printable) order.push_back(byte);
  return order;
}

uint64_t pair_key(int32_t left, int32_t right) {
  return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
}

std::string_view take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return line;
}

}  // namespace

BytePairs::BytePairs(std::string_view merges, size_t count, std::string_view word_end) {
  add_bytes(word_end);
  add_merges(merges, count);
}

void BytePairs::add_bytes(std::string_view word_end) {
  char32_t stand_in = 0x100;  // of the next byte that isn't printable
  for (const int byte : byte_order()) {
    byte_ids_[static_cast<size_t>(byte)] = static_cast<int32_t>(pieces_.size());
    const char32_t shown = is_printable(byte) ? static_cast<char32_t>(byte) : stand_in++;
    pieces_.push_back(encode_utf8({&shown, 1}));
  }
  if (word_end.empty()) return;
  word_end_offset_ = 256;
  for (size_t id = 0; id < 256; ++id) pieces_.push_back(pieces_[id] + std::string(word_end));
}

void BytePairs::add_merges(std::string_view merges, size_t count) {
  pieces_.reserve(pieces_.size() + count);  // so that the views in `ids` stay valid
  merges_.reserve(count);
  std::unordered_map<std::string_view, size_t> ids;
  ids.reserve(pieces_.size() + count);
  for (size_t id = 0; id < pieces_.size(); ++id) ids.emplace(pieces_[id], id);

  for (; count > 0 && !merges.empty(); --count) {
    const std::string_view line = take_line(merges);
    const size_t space = line.find(' ');
    TINTYPE_ASSERT(space != line.npos);
    const auto left = ids.find(line.substr(0, space)), right = ids.find(line.substr(space + 1));
    TINTYPE_ASSERT(left != ids.end() && right != ids.end());

    const size_t id = pieces_.size();
    pieces_.push_back(pieces_[left->second] + pieces_[right->second]);
    ids.emplace(pieces_.back(), id);
    merges_.emplace(
        pair_key(static_cast<int32_t>(left->second), static_cast<int32_t>(right->second)),
        static_cast<int32_t>(id));
  }
}

void BytePairs::encode(std::string_view word, std::vector<int32_t>& ids) const {
  if (word.empty()) return;
  std::vector<Symbol> symbols;
  symbols.reserve(word.size());
  for (const char byte : word)
    symbols.push_back(
        {byte_ids_[static_cast<uint8_t>(byte)], symbols.size() - 1, symbols.size() + 1});
  symbols.back().id += word_end_offset_;
  symbols.back().next = kNone;

  // Merges that were possible when they were found: (id made, place), the next one on top.
  using Candidate = std::pair<int32_t, size_t>;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  const auto merge_at = [&](size_t at) {
    const size_t next = symbols[at].next;
    return next == kNone ? -1 : merged(symbols[at].id, symbols[next].id);
  };
  const auto offer = [&](size_t at) {
    if (at == kNone) return;
    if (const int32_t id = merge_at(at); id >= 0) candidates.emplace(id, at);
  };

  for (size_t at = 0; at < symbols.size(); ++at) offer(at);
  while (!candidates.empty()) {
    const auto [id, at] = candidates.top();
    candidates.pop();
    if (merge_at(at) != id) continue;  // a neighbour was merged away meanwhile

    Symbol& left = symbols[at];
    Symbol& right = symbols[left.next];
    left.id = id;
    left.next = right.next;
    right = {-1, kNone, kNone};
    if (left.next != kNone) symbols[left.next].previous = at;
    offer(left.previous);
    offer(at);
  }
  for (size_t at = 0; at != kNone; at = symbols[at].next) ids.push_back(symbols[at].id);
}

int32_t BytePairs::merged(int32_t left, int32_t right) const {
  const auto found = merges_.find(pair_key(left, right));
  return found == merges_.end() ? -1 : found->second;
}

}  // namespace tintype
