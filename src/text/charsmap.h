// SentencePiece's compiled rewriting rules: what "nmt_nfkc" and the like are stored as.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tintype {

// The bytes are foreign: those that rewrite() follows are checked as it does. No rule may match or
// write more than kMaxRuleBytes, which bounds the work per byte of text.
class Charsmap {
 public:
  static constexpr size_t kMaxRuleBytes = 256;

  // Empty bytes hold no rules. Throws kBadFile, naming `source`, if the sizes do not fit.
  Charsmap(std::span<const std::byte> bytes, std::string source);

  // From left to right: the longest rule that matches is replaced, else a byte is copied; what a
  // rule wrote is not looked at again. Throws kBadFile if a rule leads out of the table.
  std::string rewrite(std::string_view text) const;

 private:
  struct Match {
    size_t eaten = 0;  // bytes; 0 if no rule matches
    std::string_view replacement;
  };
  Match longest_match(std::string_view text) const;
  uint32_t unit(uint32_t index) const;
  std::string_view replacement(uint32_t start) const;

  std::string source_;
  std::vector<uint32_t> trie_;
  std::string texts_;
};

}  // namespace tintype
