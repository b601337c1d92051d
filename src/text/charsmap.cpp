// Layout, all little endian:
//
//   u32     T       bytes of the trie, a multiple of 4
//   u32     unit[T / 4]   a double array as darts-clone builds it
//   char    texts[]       replacements, each ended by a zero byte
//
// A unit:  bits 0..7 and 31 label   bit 8 a rule ends here   bit 9 offset counts 256s
//          bits 10..30 offset       of a rule's own unit: bits 0..30 start in texts
#include "text/charsmap.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace tintype {
namespace {

constexpr uint32_t kLabelMask = 0x800000FF;
constexpr uint32_t kRuleEnds = 0x100;
constexpr uint32_t kWideOffset = 0x200;
constexpr uint32_t kTextMask = 0x7FFFFFFF;

uint32_t offset(uint32_t unit) { return (unit >> 10) << ((unit & kWideOffset) >> 6); }

uint32_t load_u32(const std::byte* at) {
  uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | std::to_integer<uint32_t>(at[i]);
  return value;
}

}  // namespace

Charsmap::Charsmap(std::span<const std::byte> bytes, std::string source)
    : source_(std::move(source)) {
  if (bytes.empty()) return;
  check(bytes.size() >= 8, ErrorCode::kBadFile, "tokenizer ", source_, ": charsmap has ",
        bytes.size(), " bytes, but its header and one trie unit need 8");

  const size_t trie_bytes = load_u32(bytes.data());
  const auto body = bytes.subspan(4);
  check(trie_bytes >= 4 && trie_bytes % 4 == 0 && trie_bytes <= body.size(), ErrorCode::kBadFile,
        "tokenizer ", source_, ": charsmap says that its trie has ", trie_bytes,
        " bytes, but it needs a multiple of 4 and at most the ", body.size(), " that follow");

  trie_.resize(trie_bytes / 4);
  for (size_t i = 0; i < trie_.size(); ++i) trie_[i] = load_u32(body.data() + 4 * i);
  const auto texts = body.subspan(trie_bytes);
  texts_.assign(reinterpret_cast<const char*>(texts.data()), texts.size());
}

std::string Charsmap::rewrite(std::string_view text) const {
  if (trie_.empty()) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Match match = longest_match(text);
    out += match.eaten > 0 ? match.replacement : text.substr(0, 1);
    text.remove_prefix(std::max<size_t>(match.eaten, 1));
  }
  return out;
}

Charsmap::Match Charsmap::longest_match(std::string_view text) const {
  Match longest;
  uint32_t node = offset(trie_[0]);
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    node ^= byte;
    const uint32_t here = unit(node);
    if ((here & kLabelMask) != byte) break;
    check(i < kMaxRuleBytes, ErrorCode::kBadFile, "tokenizer ", source_,
          ": charsmap has a rule for more than ", kMaxRuleBytes, " bytes");
    node ^= offset(here);
    if (here & kRuleEnds) longest = {i + 1, replacement(unit(node) & kTextMask)};
  }
  return longest;
}

uint32_t Charsmap::unit(uint32_t index) const {
  check(index < trie_.size(), ErrorCode::kBadFile, "tokenizer ", source_,
        ": charsmap points to trie unit ", index, " of ", trie_.size());
  return trie_[index];
}

std::string_view Charsmap::replacement(uint32_t start) const {
  check(start < texts_.size(), ErrorCode::kBadFile, "tokenizer ", source_,
        ": charsmap points to byte ", start, " of ", texts_.size(), " bytes of replacements");
  const std::string_view text = std::string_view(texts_).substr(start, kMaxRuleBytes + 1);
  const size_t end = text.find('\0');
  check(end != text.npos, ErrorCode::kBadFile, "tokenizer ", source_,
        ": charsmap's replacement at byte ", start, " does not end within ", kMaxRuleBytes,
        " bytes");
  return text.substr(0, end);
}

}  // namespace tintype
