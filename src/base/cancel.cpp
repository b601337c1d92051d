#include "base/cancel.h"

#include "base/error.h"

namespace tintype {

void stop_if_cancelled(const CancelFlag* flag) {
  check(flag == nullptr || !flag->load(std::memory_order_relaxed), ErrorCode::kCancelled,
        "cancelled");
}

}  // namespace tintype
