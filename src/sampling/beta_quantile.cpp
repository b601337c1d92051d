#include "sampling/beta_quantile.h"

#include <cmath>
#include <initializer_list>
#include <limits>

namespace tintype {
namespace {

// The continued fraction 8.17.22 of the NIST Digital Library of Mathematical Functions by Lentz's
// method; quick for x < (a + 1) / (a + b + 2).
double beta_fraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300, kEpsilon = std::numeric_limits<double>::epsilon();
  const auto safe = [&](double v) { return std::abs(v) < kTiny ? kTiny : v; };

  double c = 1, d = 1 / safe(1 - (a + b) * x / (a + 1)), value = d;
  for (int m = 1; m <= 1000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double factor = 1;
    for (const double term : {even, odd}) {
      d = 1 / safe(1 + term * d);
      c = safe(1 + term / c);
      factor = d * c;
      value *= factor;
    }
    if (std::abs(factor - 1) <= kEpsilon) break;
  }
  return value;
}

// Whether a Beta(a, b) variable is below x with probability less than p. Near 1 the tails are
// compared, which have the digits.
bool is_low(double x, double a, double b, double p) {
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a < p;
  return front * beta_fraction(1 - x, b, a) / b > 1 - p;
}

}  // namespace

double beta_quantile(double p, double a, double b) {
  double low = 0, high = 1;
  if (p <= 0 || p >= 1) return p <= 0 ? low : high;
  for (;;) {  // bisection, until no double is left between
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high) return middle;
    (is_low(middle, a, b, p) ? low : high) = middle;
  }
}

}  // namespace tintype
