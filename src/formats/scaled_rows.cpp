#include "formats/scaled_rows.h"

namespace tintype {

bool has_row_scales(const Parameter& p) {
  return p.parts.size() > 1 && p.parts[1].shape.rank() == 1;
}

const float* scales(const Parameter& p) {
  return p.parts.size() > 1 ? reinterpret_cast<const float*>(p.parts[1].bytes.data()) : nullptr;
}

}  // namespace tintype
