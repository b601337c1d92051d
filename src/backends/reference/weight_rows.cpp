#include "backends/reference/weight_rows.h"

#include <algorithm>

namespace tintype::reference {

Dim WeightRows::rows() const {
  Dim sum = 0;
  for (const RowSlice& s : slices_) sum += s.rows;
  return sum;
}

size_t WeightRows::scratch_bytes() const {
  Dim most = 0;
  for (const RowSlice& s : slices_) most = std::max(most, s.parameter->cols());
  return static_cast<size_t>(most) * sizeof(float);
}

std::span<const float> WeightRows::decode(Dim row, std::byte* scratch) const {
  auto slice = slices_.begin();
  for (; row >= slice->rows; ++slice) row -= slice->rows;
  const Parameter& p = *slice->parameter;
  auto* const values = reinterpret_cast<float*>(scratch);
  p.format->decode_rows(p, slice->first + row, 1, values);
  return {values, static_cast<size_t>(p.cols())};
}

}  // namespace tintype::reference
