// Quantiles of the beta distribution, for the `beta` scheduler.
#pragma once

namespace tintype {

// The x in [0, 1] below which a Beta(a, b) variable falls with probability p: the inverse of the
// regularised incomplete beta function, to double accuracy. p in [0, 1]; a, b > 0.
double beta_quantile(double p, double a, double b);

}  // namespace tintype
