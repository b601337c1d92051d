// A SentencePiece vocabulary as plain data, wherever it was stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tintype {

// Numbers of the file formats: ModelProto.SentencePiece.Type and tokenizer.ggml.token_type.
enum class PieceType : int32_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6,
};

// Not checked yet: its user is (see t5_tokenizer.h). The defaults of the ids and flags are T5's.
struct SpieceModel {
  std::string source;  // "in FILE", "beside FILE": named in errors

  // In id order, all three of one length. GGUF: tokenizer.ggml.tokens, scores, token_type.
  std::vector<std::string> pieces;
  std::vector<float> scores;
  std::vector<PieceType> types;

  // Rules that rewrite the text first, in SentencePiece's compiled form (see charsmap.h); empty
  // for none. GGUF: precompiled_charsmap.
  std::vector<std::byte> charsmap;

  int32_t eos = 1, pad = 0;         // GGUF: eos_token_id, padding_token_id
  bool add_space_prefix = true;     // GGUF: add_space_prefix
  bool remove_extra_spaces = true;  // GGUF: remove_extra_whitespaces
};

// Reads a serialised ModelProto (spiece.model). Throws kBadFile, naming `source` and the field, if
// a length does not fit or the model isn't a unigram one.
SpieceModel read_spiece_model(std::span<const std::byte> bytes, std::string source);

}  // namespace tintype
