// What every tokenizer offers: a prompt as token ids, bare or framed for its text encoder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/shape.h"

namespace tintype {

// The content of a text: no BOS, EOS or padding. pieces[i] is how the vocabulary spells ids[i]
// ("cat</w>" in CLIP, "▁cat" in T5), always valid UTF-8.
struct Tokens {
  std::vector<int32_t> ids;
  std::vector<std::string> pieces;
};

// Immutable, so that threads may share one. Any bytes are a text: ill-formed UTF-8 is read as
// U+FFFD, and special strings such as "</s>" are ordinary characters.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  virtual Tokens encode(std::string_view text) const = 0;

  // Content with BOS, EOS and padding, as the text encoder wants it; see the makers in
  // clip_tokenizer.h and t5_tokenizer.h for what `length` means.
  virtual std::vector<int32_t> frame(std::string_view text, Dim length) const = 0;

  // Rows that an embedding needs so that every id has one.
  virtual Dim rows() const = 0;

  // Where the vocabulary came from: "compiled in", "in FILE", "beside FILE".
  virtual const std::string& source() const = 0;
};

}  // namespace tintype
