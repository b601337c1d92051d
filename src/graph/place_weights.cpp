// Which weights stay in memory under a budget, and which stream by.
#include <algorithm>

#include "base/error.h"
#include "graph/plan.h"

namespace tintype {
namespace {

constexpr size_t kLookAhead = size_t{128} << 20;

}  // namespace

size_t Plan::weight_bytes() const {
  size_t sum = 0;
  for (const WeightUse& w : weights) sum += w.bytes;
  return sum;
}

size_t Plan::pinned_bytes() const {
  size_t sum = 0;
  for (const WeightUse& w : weights) sum += w.pinned ? w.bytes : 0;
  return sum;
}

void place_weights(Plan& plan, size_t budget) {
  const size_t fixed = plan.arena_bytes + plan.prepared_bytes;
  if (budget == 0 || fixed + plan.weight_bytes() <= budget) return;

  size_t largest = 0;  // of one step's weights
  for (const auto& used : plan.weights_of_step) {
    size_t sum = 0;
    for (int w : used) sum += plan.weights[static_cast<size_t>(w)].bytes;
    largest = std::max(largest, sum);
  }
  constexpr double kMiB = 1 << 20;
  check(fixed + largest <= budget, ErrorCode::kMachine, "the budget leaves ",
        static_cast<double>(budget) / kMiB, " MiB for this part, which needs at least ",
        static_cast<double>(fixed + largest) / kMiB, " MiB: values and scratch ",
        static_cast<double>(fixed) / kMiB, ", largest layer ", static_cast<double>(largest) / kMiB);

  const size_t room = budget - fixed;
  plan.window_bytes = std::min(room, largest + kLookAhead);
  size_t pinned = 0;
  for (WeightUse& w : plan.weights) {
    w.pinned = pinned + w.bytes + plan.window_bytes <= room;
    if (w.pinned) pinned += w.bytes;
  }
}

}  // namespace tintype
