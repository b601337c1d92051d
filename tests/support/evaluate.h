// Runs a graph one node at a time, without lowering or planning: what kernels are tested with.
#pragma once

#include <functional>

#include "graph/kernel.h"

namespace tintype::test {

// How the operands of each kernel are laid out. Around and between their elements lie NaNs, which
// must neither be read nor written.
enum class Placing {
  kDense,    // aligned to 64 bytes
  kStrided,  // not aligned, and with gaps wherever the kernel's needs allow them
  kInPlace,  // dense; out[0] lies in the memory of in[0] wherever the needs allow it
};

using ChooseKernel = std::function<const Kernel&(const Node&)>;

// The outputs of the graph as dense f32. `inputs` are given as f32 or in the type of the input.
NamedArrays evaluate(const Graph& graph, const NamedArrays& inputs, const ChooseKernel& choose,
                     const DeviceFacts& facts, Placing placing = Placing::kDense);

// The same with the kernels that `backend` would choose.
NamedArrays evaluate(const Graph& graph, const NamedArrays& inputs, const Backend& backend,
                     const DeviceFacts& facts);

// What this machine can do; TINTYPE_ISA=avx2 hides its larger registers.
DeviceFacts test_facts();

}  // namespace tintype::test
