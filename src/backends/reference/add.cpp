#include "backends/reference/kernels.h"
#include "backends/reference/pointwise.h"

namespace tintype::reference {
namespace {

double add(double a, double b) { return a + b; }

}  // namespace

const Kernel kAdd{
    .id = "reference.add",
    .op = Op::kAdd,
    .needs = {.in = Access::kAny, .out = Access::kAny, .in_place = true},
    .prepare = prepare<Pointwise2<add>>,
};

}  // namespace tintype::reference
