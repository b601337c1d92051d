// What functions of ops.h ask of their arguments.
#pragma once

#include "base/error.h"
#include "graph/graph.h"

namespace tintype {

template <class... Parts>
void need(bool ok, const Parts&... parts) {
  check(ok, ErrorCode::kFailed, parts...);
}

inline void need_float(const std::string& op, const Tensor& x) {
  need(is_float(x.dtype()), op, ": needs floats, got ", x.dtype());
}

}  // namespace tintype
