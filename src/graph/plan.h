// The plan of a graph: which kernel runs each node, where every value lies, and which weights stay
// in memory. Everything is known before a matrix is read.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/kernel.h"

namespace tintype {

// Memory that one or more values share. Steps are numbered as in Plan::steps.
struct Buffer {
  size_t bytes = 0;
  int first = 0, last = 0;              // steps that need it, both included
  size_t offset = 0;                    // in the arena
  const std::byte* constant = nullptr;  // memory outside the arena
};

// Part of a buffer.
struct Value {
  int buffer = -1;
  size_t offset = 0;  // in bytes
  DType dtype = DType::kF32;
  Layout layout;
};

struct Step {
  const Node* node = nullptr;
  const Kernel* kernel = nullptr;
  std::unique_ptr<Prepared> prepared;
  std::vector<Value> in, out;
  int scratch = -1;  // a buffer, or none
  double cost = 0;
};

struct NamedValue {
  std::string name;
  Value value;
  Rate rate = Rate::kJob;
};

// A weight in the order of its first use.
struct WeightUse {
  const Parameter* parameter = nullptr;
  size_t bytes = 0;
  int last = 0;        // step of its last use in a pass
  bool pinned = true;  // stays in memory; else it is read ahead of use and dropped after it
};

struct Plan {
  std::unique_ptr<Graph> graph;  // rewritten; owns the nodes that steps point to
  std::vector<Step> steps;       // those of job rate first
  int job_steps = 0;
  std::vector<Buffer> buffers;
  std::vector<NamedValue> inputs, outputs;
  std::vector<std::vector<int>> weights_of_step;  // indices into weights
  std::vector<WeightUse> weights;
  size_t arena_bytes = 0;
  size_t prepared_bytes = 0;  // kept by kernels between runs
  size_t window_bytes = 0;    // of streamed weights that may be in memory at once
  double job_cost = 0, step_cost = 0;
  int threads = 1;  // that kernels are prepared for

  size_t weight_bytes() const;
  size_t pinned_bytes() const;
  size_t resident_bytes() const {  // the most that a run keeps in memory
    return arena_bytes + prepared_bytes + pinned_bytes() + window_bytes;
  }
};

struct PlanOptions {
  RouteRules routes;
  bool weight_only = false;
  size_t budget = 0;  // bytes for this plan's weights and arena together; 0: no limit
};

// Throws kMachine if a node has no kernel, or if the budget is too small: it says what would fit.
Plan make_plan(const Graph& graph, const Backend& backend, const DeviceFacts& facts,
               const PlanOptions& options);

// ---- the parts of make_plan, for tests ----

// Routes, values and steps; lifetimes and offsets are still open.
Plan lower(const Graph& graph, const Backend& backend, const DeviceFacts& facts,
           const PlanOptions& options);
// Fills in first, last and offset of every buffer, and lets outputs take the memory of inputs that
// die with them.
void place_buffers(Plan& plan);
// Decides which weights stay within `budget` bytes.
void place_weights(Plan& plan, size_t budget);

}  // namespace tintype
