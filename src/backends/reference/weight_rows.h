// Rows of a logical weight, decoded one after the other.
#pragma once

#include <span>
#include <vector>

#include "tensor/parameter.h"

namespace tintype::reference {

class WeightRows {
 public:
  explicit WeightRows(const std::vector<RowSlice>& slices) : slices_(slices) {}

  Dim rows() const;  // of all slices together
  size_t scratch_bytes() const;

  // Row `row` of all slices, one below the other, decoded into `scratch`.
  std::span<const float> decode(Dim row, std::byte* scratch) const;

 private:
  std::vector<RowSlice> slices_;
};

}  // namespace tintype::reference
