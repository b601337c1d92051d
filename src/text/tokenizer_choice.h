// Which vocabulary goes with a text encoder's file.
#pragma once

#include <memory>
#include <optional>

#include "formats/weight_index.h"
#include "text/spiece_model.h"
#include "text/tokenizer.h"

namespace tintype {

// The SentencePiece model that a weight file carries: GGUF's tokenizer.ggml.*, or a whole
// ModelProto in a tensor `spiece_model` as ComfyUI stores it. Throws kBadFile if what is there is
// of another type, or for another kind of tokenizer.
std::optional<SpieceModel> stored_spiece_model(const WeightIndex& weights);

// The tokenizer of a T5 encoder whose embedding has `rows` rows: the file's own; else the one
// beside it, NAME.spiece.model for any leading part of the file's name ("nano_t5.spiece.model" goes
// with "nano_t5_bf16.safetensors"), or spiece.model; else T5's own if the rows are as many as T5
// has. Throws kBadFile if there is none, or if it has more pieces than the embedding has rows.
std::unique_ptr<Tokenizer> choose_t5_tokenizer(const WeightIndex& weights, Dim rows);

}  // namespace tintype
