#include "backends/reference/kernels.h"
#include "backends/reference/pointwise.h"

namespace tintype::reference {
namespace {

double mul(double a, double b) { return a * b; }

}  // namespace

const Kernel kMul{
    .id = "reference.mul",
    .op = Op::kMul,
    .needs = {.in = Access::kAny, .out = Access::kAny, .in_place = true},
    .prepare = prepare<Pointwise2<mul>>,
};

}  // namespace tintype::reference
