#include "formats/scaled_rows.h"

#include "base/error.h"

namespace tintype {

bool has_row_scales(const Parameter& p) {
  return p.parts.size() > 1 && p.parts[1].shape.rank() == 1;
}

const float* scales(const Parameter& p) {
  return p.parts.size() > 1 ? reinterpret_cast<const float*>(p.parts[1].bytes.data()) : nullptr;
}

Parameter scaled_rows(const Parameter& p, Dim first, Dim count) {
  TINTYPE_ASSERT(first >= 0 && count >= 0 && first + count <= p.rows());
  Parameter slice = p;
  if (slice.shape.rank() >= 2) slice.shape[0] = count;
  const auto begin = static_cast<size_t>(first), n = static_cast<size_t>(count);
  const auto cols = static_cast<size_t>(p.cols());
  slice.parts[0] = {p.parts[0].bytes.subspan(begin * cols, n * cols), slice.shape};
  if (has_row_scales(p))
    slice.parts[1] = {p.parts[1].bytes.subspan(begin * sizeof(float), n * sizeof(float)), {count}};
  return slice;
}

}  // namespace tintype
