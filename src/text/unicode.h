// Unicode text: decoding that never fails, normalisation, lower case.
#pragma once

#include <string>
#include <string_view>

namespace tintype {

// Code points of UTF-8. Each maximal ill-formed part becomes one U+FFFD (Unicode 15, §3.9, table
// 3-8), so the result holds only Unicode scalar values.
std::u32string decode_utf8(std::string_view bytes);

// UTF-8 of Unicode scalar values.
std::string encode_utf8(std::u32string_view text);

// The same bytes with each maximal ill-formed part replaced by U+FFFD.
std::string repair_utf8(std::string_view bytes);

// Normalization Form C. Time is n log n in the longest run of combining marks, n elsewhere.
std::u32string to_nfc(std::u32string_view text);

// Full lower-case mapping of each code point by itself: İ becomes two code points, and there is no
// final-sigma rule.
std::u32string to_lower(std::u32string_view text);

}  // namespace tintype
