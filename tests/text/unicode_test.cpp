#include "text/unicode.h"

#include <random>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace tintype {
namespace {

using namespace std::string_literals;

TEST(Unicode, EachMaximalIllFormedPartBecomesOneReplacement) {
  const std::string r = "\uFFFD";
  const std::pair<std::string, std::string> cases[] = {
      {"caf\xE9 \xFF\xFE x \xED\xA0\x80 \xF0\x9F\x98 end \xC0\xAF",
       "caf" + r + " " + r + r + " x " + r + r + r + " " + r + " end " + r + r},
      {"\xF4\x90\x80\x80", r + r + r + r},  // above U+10FFFF
      {"\xE0\x9F\x80", r + r + r},          // overlong
      {"\xF0\x90\x80", r},                  // cut at the end
      {"\xE2\x82z", r + "z"},               // cut inside
      {"\x80", r},
      {"\0\x01"s, "\0\x01"s},
      {"é猫🐱\U0010FFFF\uD7FF\uE000", "é猫🐱\U0010FFFF\uD7FF\uE000"},
  };
  for (const auto& [bytes, text] : cases) EXPECT_EQ(repair_utf8(bytes), text);
}

TEST(Unicode, DecodingUndoesEncoding) {
  std::u32string all;
  for (char32_t code = 0; code < 0x110000; ++code)
    if (code < 0xD800 || code > 0xDFFF) all += code;
  EXPECT_EQ(decode_utf8(encode_utf8(all)), all);
}

TEST(Unicode, RandomBytesDecodeToScalarValues) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random() % 50, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    for (const char32_t code : decode_utf8(bytes))
      EXPECT_TRUE(code < 0xD800 || (code > 0xDFFF && code < 0x110000));
  }
}

TEST(Unicode, ComposesToNfc) {
  const std::pair<std::u32string, std::u32string> cases[] = {
      {U"e\u0301", U"é"},
      {U"a\u0301\u0323", U"ạ\u0301"},  // marks are ordered first
      {U"a\u0315\u0300\u05AE\u0062", U"à\u05AE\u0315b"},
      {U"\u1100\u1161\u11A8", U"각"},  // Hangul
      {U"\u212B\u2126", U"ÅΩ"},        // singletons
      {U"\u0958", U"\u0915\u093C"},    // excluded from composition
      {U"ﬁ", U"ﬁ"},                    // compatibility only
      {U"", U""},
  };
  for (const auto& [text, nfc] : cases) EXPECT_EQ(to_nfc(text), nfc);
}

TEST(Unicode, LowersEachCodePointByItself) {
  EXPECT_EQ(to_lower(U"ABC ÄÖ ΟΔΟΣ Ⅷ Ꭰ"), U"abc äö οδοσ ⅷ ꭰ");
  EXPECT_EQ(to_lower(U"\u0130"), U"i\u0307");
  EXPECT_EQ(to_lower(U"ß猫"), U"ß猫");
}

}  // namespace
}  // namespace tintype
