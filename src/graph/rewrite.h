// From the graph that model code wrote to the graph that kernels run.
//
// Expands: a linear over several row slices becomes one product per slice, side by side; a slice
// whose format wants coded activations becomes quantise_rows + int8_linear, and equal inputs share
// one quantise_rows because nodes are hash-consed. Fuses: layer_norm * scale + shift,
// x + gate * y, silu(group_norm). What is computed stays the same on every backend.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace tintype {

struct RewriteOptions {
  bool weight_only = false;  // activations stay float, whatever the weight's format wants
};

// A copy of what the outputs of `graph` need. Weights are shared, not copied.
std::unique_ptr<Graph> rewrite(const Graph& graph, const RewriteOptions& options);

}  // namespace tintype
