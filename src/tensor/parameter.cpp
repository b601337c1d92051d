#include "tensor/parameter.h"

namespace tintype {

size_t Parameter::stored_bytes() const {
  size_t sum = 0;
  for (const Part& part : parts) sum += part.bytes.size();
  return sum;
}

std::vector<float> decode(const Parameter& p) {
  std::vector<float> out(static_cast<size_t>(p.shape.elements()));
  p.format->decode_rows(p, 0, p.rows(), out.data());
  return out;
}

}  // namespace tintype
