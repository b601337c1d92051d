#include "backends/reference/kernels.h"
#include "backends/reference/pointwise.h"

namespace tintype::reference {
namespace {

double same(double x) { return x; }

}  // namespace

const Kernel kCopy{
    .id = "reference.copy",
    .op = Op::kCopy,
    .needs = {.in = Access::kAny, .out = Access::kAny},
    .prepare = prepare<Pointwise1<same>>,
};

}  // namespace tintype::reference
