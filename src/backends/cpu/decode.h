// Rows of a stored weight as f32 or bf16: the values of Format::decode_rows(), for bf16 rounded
// once, by vector code for the formats that have some.
#pragma once

#include <cstddef>

#include "graph/kernel.h"

namespace tintype::cpu {

// Where the rows of a slice lie, for readers of stored bytes.
struct StoredRows {
  const Parameter* parameter = nullptr;
  Dim first = 0, cols = 0;           // `first`: row 0 is this row of the parameter
  const std::byte* bytes = nullptr;  // of row 0
  size_t row_bytes = 0;              // 0: rows are no whole number of bytes or blocks
  const float* scales = nullptr;     // of int8 and fp8: of row 0, or of all rows; null: none
  bool scale_per_row = false;

  const std::byte* row(Dim i) const { return bytes + static_cast<size_t>(i) * row_bytes; }
  float scale(Dim i) const { return scales == nullptr ? 1.0f : scales[scale_per_row ? i : 0]; }
};

StoredRows stored_rows(const RowSlice& slice);

// Decodes one row. `spare` holds `cols` floats that may be used on the way.
template <class T>
using DecodeRow = void (*)(const StoredRows& rows, Dim row, T* out, float* spare);

class RowDecoder {
 public:
  RowDecoder(const RowSlice& slice, Isa isa);

  const StoredRows& rows() const { return rows_; }
  void decode(Dim row, float* out, float* spare) const noexcept { f32_(rows_, row, out, spare); }
  void decode(Dim row, BF16* out, float* spare) const noexcept { bf16_(rows_, row, out, spare); }

 private:
  StoredRows rows_;
  DecodeRow<float> f32_;
  DecodeRow<BF16> bf16_;
};

}  // namespace tintype::cpu
