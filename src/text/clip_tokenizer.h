// CLIP's tokenizer: lower-cased words, byte-pair merges, "</w>" at the end of a word.
#pragma once

#include <memory>

#include "text/tokenizer.h"

namespace tintype {

constexpr Dim kClipRows = 49408;
// 256 bytes, inside and at the end of a word, BOS and EOS.
constexpr Dim kClipLeastRows = 514;

// The tokenizer of a CLIP text model whose token embedding has `rows` rows. With fewer than CLIP's
// kClipRows it uses the first rows - 514 merges, BOS = rows - 2 and EOS = rows - 1; rows beyond
// 49408 are added embeddings. Throws kBadFile below kClipLeastRows.
//
// frame() gives exactly `length` ids (77 in every known model): BOS, the first length - 2 ids of
// the text, EOS, and EOS again to pad.
std::unique_ptr<Tokenizer> clip_tokenizer(Dim rows);

}  // namespace tintype
