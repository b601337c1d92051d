// T5's tokenizer: SentencePiece unigram, the split of the text with the highest sum of scores.
#pragma once

#include <memory>

#include "text/spiece_model.h"
#include "text/tokenizer.h"

namespace tintype {

// From a model file's own vocabulary, which is foreign data: throws kBadFile, naming the source and
// the field, if it does not hold together. A charsmap is too big to be walked whole, so a fault in
// it shows when a text first touches it, and encode() throws.
//
// frame() gives the ids of the text, </s>, and padding up to at least `length` ids; it never cuts.
std::unique_ptr<Tokenizer> t5_tokenizer(SpieceModel model);

// T5's own 32000 pieces, compiled in.
std::unique_ptr<Tokenizer> t5_tokenizer();

}  // namespace tintype
