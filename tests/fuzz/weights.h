// What both containers' targets do with their input.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "formats/weight_index.h"
#include "support/memory_file.h"

namespace tintype::test {

// Bytes either parse, and then every parameter decodes, whole and by rows, or are refused as a bad
// file.
inline void parse_and_decode(std::span<const std::byte> bytes) {
  try {
    const auto index = parse_weights(memory_file({bytes.begin(), bytes.end()}));
    for (const auto& [name, p] : index->parameters) {
      if (p.shape.elements() > 1 << 20) continue;  // fp8 of a small file never is
      decode(p);
      std::vector<float> row(static_cast<size_t>(p.cols()));
      p.format->decode_rows(p, p.rows() - 1, 1, row.data());
    }
  } catch (const Error& e) {
    if (e.code() != ErrorCode::kBadFile) throw;
  }
}

}  // namespace tintype::test
