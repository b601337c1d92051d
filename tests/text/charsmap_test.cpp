#include "text/charsmap.h"

#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "text/spiece_model.h"
#include "text/vocabulary.h"

namespace tintype {
namespace {

using namespace std::string_literals;

std::vector<std::byte> charsmap_bytes(uint32_t trie_bytes, std::vector<uint32_t> units,
                                      std::string_view texts) {
  units.insert(units.begin(), trie_bytes);
  const auto head = std::as_bytes(std::span(units));
  const auto tail = std::as_bytes(std::span(texts));
  std::vector<std::byte> bytes(head.begin(), head.end());
  bytes.insert(bytes.end(), tail.begin(), tail.end());
  return bytes;
}

// One rule, byte 1 -> the text at `text`: the root leads to unit 2 ^ 1 = 3, that one to unit 3 ^ 7.
// Like every real table it has a unit for each byte that the root may meet.
std::vector<std::byte> one_rule(uint32_t text, const std::string& texts) {
  std::vector<uint32_t> units(256);
  units[0] = 2 << 10;
  units[3] = 7 << 10 | 0x100 | 1;
  units[4] = 0x80000000 | text;
  return charsmap_bytes(1024, units, texts);
}

std::string refusal(const std::vector<std::byte>& bytes, std::string_view text) {
  try {
    return "rewritten: " + Charsmap(bytes, "in a.gguf").rewrite(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadFile);
    return error.what();
  }
}

TEST(Charsmap, AppliesTheLongestRuleOnce) {
  const std::string_view model = t5_spiece_model();
  const auto bytes = read_spiece_model(std::as_bytes(std::span(model)), "compiled in").charsmap;
  const Charsmap charsmap(bytes, "compiled in");
  EXPECT_EQ(charsmap.rewrite("ﬁ  Ａ\te\u0301 "), "fi  A é ");
  EXPECT_EQ(charsmap.rewrite("\u0001a\u007F\u200B\u2581\uFFFD\uFF5E"), "a   \uFF5E");
  EXPECT_EQ(charsmap.rewrite(""), "");
}

TEST(Charsmap, NoBytesAreNoRules) { EXPECT_EQ(Charsmap({}, "in a.gguf").rewrite("ﬁ \t"), "ﬁ \t"); }

TEST(Charsmap, OneRule) {
  EXPECT_EQ(refusal(one_rule(0, "yes\0"s), "a\x01z\x01"), "rewritten: ayeszyes");
  EXPECT_EQ(refusal(one_rule(3, "yes\0"s), "a\x01z"), "rewritten: az");
}

TEST(Charsmap, RefusesSizesThatDoNotFit) {
  EXPECT_EQ(refusal(charsmap_bytes(4, {}, "abc"), ""),
            "tokenizer in a.gguf: charsmap has 7 bytes, but its header and one trie unit need 8");
  for (const uint32_t size : {0u, 6u, 24u, 0xFFFFFFFCu})
    EXPECT_EQ(refusal(charsmap_bytes(size, {0, 0, 0, 0, 0}, ""), ""),
              "tokenizer in a.gguf: charsmap says that its trie has " + std::to_string(size) +
                  " bytes, but it needs a multiple of 4 and at most the 20 that follow");
}

TEST(Charsmap, RefusesWhatLeadsOutOfTheTable) {
  const auto far = charsmap_bytes(8, {0x3FFFFFu << 10 | 0x200, 0}, "");
  EXPECT_EQ(refusal(far, ""), "rewritten: ");
  EXPECT_EQ(refusal(far, "a"), "tokenizer in a.gguf: charsmap points to trie unit 1073741665 of 2");
  EXPECT_EQ(refusal(one_rule(4, "yes\0"s), "\x01"),
            "tokenizer in a.gguf: charsmap points to byte 4 of 4 bytes of replacements");
  EXPECT_EQ(refusal(one_rule(0, "yes"), "\x01"),
            "tokenizer in a.gguf: charsmap's replacement at byte 0 does not end within 256 bytes");
  EXPECT_EQ(refusal(one_rule(0, std::string(257, 'x') + "\0"s), "\x01"),
            "tokenizer in a.gguf: charsmap's replacement at byte 0 does not end within 256 bytes");
}

TEST(Charsmap, RefusesALoop) {
  const auto loop = charsmap_bytes(8, {1 << 10, 1 << 10}, "");  // unit 1 is its own child by byte 0
  EXPECT_EQ(refusal(loop, std::string(256, '\0')), "rewritten: " + std::string(256, '\0'));
  EXPECT_EQ(refusal(loop, std::string(257, '\0')),
            "tokenizer in a.gguf: charsmap has a rule for more than 256 bytes");
}

}  // namespace
}  // namespace tintype
