// The family of one-argument functions: silu, gelu_tanh, gelu_erf, quick_gelu.
#include <cmath>
#include <numbers>

#include "backends/reference/kernels.h"
#include "backends/reference/pointwise.h"

namespace tintype::reference {
namespace {

double silu(double x) { return x / (1 + std::exp(-x)); }

double gelu_tanh(double x) {
  const double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1 + std::tanh(inner));
}

// With erfc: 1 + erf(x) would lose the small values of large negative x.
double gelu_erf(double x) { return 0.5 * x * std::erfc(-x / std::numbers::sqrt2); }

double quick_gelu(double x) { return x / (1 + std::exp(-1.702 * x)); }

constexpr Needs kNeeds{.in = Access::kAny, .out = Access::kAny, .in_place = true};

}  // namespace

const Kernel kSilu{"reference.silu", Op::kSilu, kNeeds, prepare<Pointwise1<silu>>};
const Kernel kGeluTanh{"reference.gelu_tanh", Op::kGeluTanh, kNeeds,
                       prepare<Pointwise1<gelu_tanh>>};
const Kernel kGeluErf{"reference.gelu_erf", Op::kGeluErf, kNeeds, prepare<Pointwise1<gelu_erf>>};
const Kernel kQuickGelu{"reference.quick_gelu", Op::kQuickGelu, kNeeds,
                        prepare<Pointwise1<quick_gelu>>};

}  // namespace tintype::reference
