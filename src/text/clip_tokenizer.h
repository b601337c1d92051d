// CLIP's tokenizer: lower-cased words, byte-pair merges, "</w>" at the end of a word.
#pragma once

#include <memory>

#include "text/tokenizer.h"

namespace tintype {

enum class ClipPadding {
  kEos,   // CLIP-L
  kZero,  // OpenCLIP bigG, the second encoder of SDXL
};

// 256 bytes, inside and at the end of a word, BOS and EOS.
constexpr Dim kClipLeastRows = 514;

// The tokenizer of a CLIP text model whose token embedding has `rows` rows. With fewer than CLIP's
// 49408 it uses the first rows - 514 merges, BOS = rows - 2 and EOS = rows - 1; rows beyond 49408
// are added embeddings. Throws kBadFile below kClipLeastRows.
//
// frame() gives exactly `length` ids (77 in every known model): BOS, the first length - 2 ids of
// the text, EOS, padding.
std::unique_ptr<Tokenizer> clip_tokenizer(Dim rows, ClipPadding padding = ClipPadding::kEos);

}  // namespace tintype
