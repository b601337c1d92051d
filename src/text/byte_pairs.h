// Byte-pair encoding over the 256-byte alphabet of GPT-2, as CLIP and Qwen use it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tintype {

// Ids: the 256 bytes in the order of the alphabet; if words have an ending, the same 256 once more
// as last byte of a word; then one id per merge.
class BytePairs {
 public:
  // `merges`: lines "left right", the one to do first in front; those beyond `count` are ignored.
  // `word_end` is what the vocabulary appends to the last byte of a word ("</w>"), or empty.
  BytePairs(std::string_view merges, size_t count, std::string_view word_end);

  // Appends the ids of one word: the listed pair of lowest rank is merged first, the leftmost of
  // several, until no listed pair is left. O(n log n) in the bytes of the word.
  void encode(std::string_view word, std::vector<int32_t>& ids) const;

  // How the vocabulary spells an id: bytes as printable characters of the alphabet.
  const std::string& piece(int32_t id) const { return pieces_[static_cast<size_t>(id)]; }

 private:
  void add_bytes(std::string_view word_end);
  void add_merges(std::string_view merges, size_t count);
  int32_t merged(int32_t left, int32_t right) const;  // -1 if the pair is not listed

  std::vector<std::string> pieces_;
  std::unordered_map<uint64_t, int32_t> merges_;  // (left, right) -> merged id; lower is earlier
  std::array<int32_t, 256> byte_ids_{};
  int32_t word_end_offset_ = 0;  // from a byte's id to its id at the end of a word
};

}  // namespace tintype
