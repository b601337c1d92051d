// Any bytes as a spiece.model, used on any text: the last 64 bytes, or all of shorter input.
#include <algorithm>
#include <span>
#include <string_view>

#include "base/error.h"
#include "text/t5_tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto text = bytes.last(std::min<size_t>(size, 64));
  try {
    const auto tokenizer = tintype::t5_tokenizer(tintype::read_spiece_model(bytes, "in a.model"));
    tokenizer->encode({reinterpret_cast<const char*>(text.data()), text.size()});
    tokenizer->frame("ABCA \xEF\xAC\x81 caf\xC3\xA9 \t\xE3\x80\x80", 8);
  } catch (const tintype::Error&) {
  }
  return 0;
}
