#include "text/unicode.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <utf8proc.h>

#include "base/error.h"

namespace tintype {
namespace {

constexpr char32_t kReplacement = U'\uFFFD';

// Takes one code point, or one maximal ill-formed part, off the front (Unicode 15, table 3-7: the
// lead byte narrows the range of the second byte).
char32_t take_code_point(std::string_view& bytes) {
  const auto lead = static_cast<uint8_t>(bytes.front());
  bytes.remove_prefix(1);
  if (lead < 0x80) return lead;
  if (lead < 0xC2 || lead > 0xF4) return kReplacement;

  const int trailing = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  char32_t code = lead & (0x3F >> trailing);
  for (int i = 0; i < trailing; ++i) {
    if (bytes.empty()) return kReplacement;
    const auto byte = static_cast<uint8_t>(bytes.front());
    if (byte < low || byte > high) return kReplacement;
    bytes.remove_prefix(1);
    code = code << 6 | (byte & 0x3F);
    low = 0x80;
    high = 0xBF;
  }
  return code;
}

auto combining_class(utf8proc_int32_t code) { return utf8proc_get_property(code)->combining_class; }

// Sorts each run of combining marks by class. utf8proc_decompose would do it as well, but in
// quadratic time.
void order_marks(std::vector<utf8proc_int32_t>& text) {
  const auto is_mark = [](utf8proc_int32_t code) { return combining_class(code) != 0; };
  auto begin = text.begin();
  while (true) {
    begin = std::find_if(begin, text.end(), is_mark);
    if (begin == text.end()) return;
    const auto end = std::find_if_not(begin, text.end(), is_mark);
    std::stable_sort(begin, end, [](utf8proc_int32_t a, utf8proc_int32_t b) {
      return combining_class(a) < combining_class(b);
    });
    begin = end;
  }
}

}  // namespace

std::u32string decode_utf8(std::string_view bytes) {
  std::u32string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) text += take_code_point(bytes);
  return text;
}

std::string encode_utf8(std::u32string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (const char32_t code : text) {
    utf8proc_uint8_t buffer[4];
    const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code), buffer);
    bytes.append(reinterpret_cast<const char*>(buffer), static_cast<size_t>(size));
  }
  return bytes;
}

std::string repair_utf8(std::string_view bytes) { return encode_utf8(decode_utf8(bytes)); }

std::u32string to_nfc(std::u32string_view text) {
  std::vector<utf8proc_int32_t> points;
  points.reserve(text.size());
  for (const char32_t code : text) {
    utf8proc_int32_t parts[4];  // the longest canonical decomposition
    int boundary_class = 0;     // of grapheme clusters; not asked for
    const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code), parts, 4,
                                               UTF8PROC_DECOMPOSE, &boundary_class);
    TINTYPE_ASSERT(count >= 1 && count <= 4);
    points.insert(points.end(), parts, parts + count);
  }
  order_marks(points);

  const auto size =
      utf8proc_normalize_utf32(points.data(), static_cast<utf8proc_ssize_t>(points.size()),
                               utf8proc_option_t(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
  TINTYPE_ASSERT(size >= 0);
  return {points.begin(), points.begin() + size};
}

std::u32string to_lower(std::u32string_view text) {
  std::u32string lower;
  lower.reserve(text.size());
  for (const char32_t code : text) {
    // The one unconditional mapping to more than one code point (SpecialCasing.txt).
    if (code == U'\u0130')
      lower += U"i\u0307";
    else
      lower += static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code)));
  }
  return lower;
}

}  // namespace tintype
