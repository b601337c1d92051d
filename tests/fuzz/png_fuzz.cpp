// Any bytes are either a picture or refused by an Error; and what we write, we can read.
#include "base/error.h"
#include "image/png.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tintype;
  try {
    const Png png = decode_png(std::as_bytes(std::span(data, size)), "input");
    const Png again = decode_png(encode_png(png.pixels), "again");
    TINTYPE_ASSERT(again.pixels.rgb == png.pixels.rgb);
  } catch (const Error&) {
  }
  return 0;
}
