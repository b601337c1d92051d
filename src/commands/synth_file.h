// Writes a model of random weights, piece by piece.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "commands/synth_shapes.h"

namespace tintype {

// What --format may be; for --help and errors.
std::vector<std::string_view> synth_formats();
// Whether files of that format are GGUF; throws kUsage for an unknown format.
bool is_gguf(std::string_view format);

// Writes normal weights of the tensors' means and deviations; the same for the same seed, whatever
// the thread count. `format` says how the matrices inside blocks are stored; the other tensors are
// plain floats. Throws kUsage for an unknown format, kFailed where the file cannot be written,
// kCancelled.
void write_synth(const std::string& path, std::span<const SynthTensor> tensors,
                 std::string_view format, uint64_t seed, const CancelFlag* cancel);

}  // namespace tintype
