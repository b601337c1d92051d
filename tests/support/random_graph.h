// Random graphs for property tests: any mixture of views, sums, products and concats.
#pragma once

#include "support/op_test.h"

namespace tintype::test {

// A graph of about `nodes` nodes over [B, L, C] tensors, with job and step inputs and a few
// outputs.
void add_random_graph(OpCase& c, uint64_t seed, int nodes);

}  // namespace tintype::test
