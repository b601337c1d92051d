// Kernels and what they need; choosing one is a route. A backend is an ordered table of kernels.
#pragma once

#include <atomic>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "graph/view.h"

namespace tintype {

enum class Isa : uint8_t { kScalar, kAvx2, kAvx512 };
std::string_view name(Isa isa);  // "avx2"

// What the machine can do, as far as kernels may know. A value, so that tests and --isa can lower
// for another machine than this one. Kernels never ask the machine.
struct DeviceFacts {
  Isa isa = Isa::kScalar;
  bool int8_dot = false;  // VNNI: exact s8 products that do not saturate
  bool bf16_dot = false;  // AVX512-BF16
  bool amx = false;       // AMX tiles for bf16 and int8
  bool amd = false;       // whose bf16 products are fast without AMX
  int threads = 1;
};

// Which layouts of an operand a kernel reads or writes.
enum class Access : uint8_t {
  kDense,   // row-major without gaps
  kMatrix,  // last axis dense, the others collapse to one stride
  kRows,    // last axis dense, the others anywhere
  kAny,     // any strides
};
bool fits(const Layout& layout, Access access);

// What a kernel asks of a node. Data, so that a refusal can say which need was not met. An empty
// list means anything.
struct Needs {
  std::initializer_list<DType> dtypes{};              // of the first input
  std::initializer_list<std::string_view> formats{};  // of the weight's slices
  Access in = Access::kDense;                         // of all inputs
  Access out = Access::kDense;                        // of all outputs
  bool in_place = false;   // out[0] may be the memory of in[0], if shape and type are equal
  Isa isa = Isa::kScalar;  // at least
  bool int8_dot = false;
  bool bf16_if_bf16 = false;  // bf16 inputs only where the CPU multiplies bf16 natively
  Dim max_rows = 0;           // of the first input seen as a matrix; 0: any number
};

// A node with the layouts that its operands will have.
struct NodeView {
  const Node& node;
  std::span<const Layout> in, out;

  DType in_dtype(size_t i) const { return node.inputs[i].dtype(); }
  DType out_dtype(size_t i = 0) const { return node.outputs[i].dtype; }
};

inline constexpr size_t kScratchAlignment = 64;

// Operands of one run. `scratch` has Prepared::scratch_bytes() bytes.
struct Buffers {
  std::span<const View> in, out;
  std::byte* scratch = nullptr;
  const std::atomic<bool>* cancel = nullptr;

  // What is left of a long run may be skipped: nobody will read its outputs.
  bool cancelled() const { return cancel && cancel->load(std::memory_order_relaxed); }
};

// A kernel made ready for one node: shapes are known, code is generated, scratch is sized.
class Prepared {
 public:
  virtual ~Prepared() = default;
  virtual size_t scratch_bytes() const { return 0; }
  virtual size_t resident_bytes() const { return 0; }  // memory it keeps between runs
  // Allocates nothing proportional to a tensor, throws nothing, waits for nobody.
  virtual void run(const Buffers& buffers) const noexcept = 0;
};

struct Kernel {
  std::string_view id;  // "cpu.attend"
  Op op;
  Needs needs;
  std::unique_ptr<Prepared> (*prepare)(const NodeView&, const DeviceFacts&);
};

// For Kernel::prepare of a type that takes (NodeView, DeviceFacts).
template <class T>
std::unique_ptr<Prepared> prepare(const NodeView& node, const DeviceFacts& facts) {
  return std::make_unique<T>(node, facts);
}

struct Backend {
  std::string_view name;                   // "cpu"
  std::span<const Kernel* const> kernels;  // best first
};

// Which kernels may be chosen beyond what they need.
struct RouteRules {
  std::vector<std::string> excluded;                        // kernel ids
  std::vector<std::pair<std::string, std::string>> forced;  // op name, kernel id
};

// The first kernel of the table that fits; throws kMachine, naming the layer and why each
// candidate was refused.
const Kernel& choose_kernel(const Backend& backend, const Node& node, const DeviceFacts& facts,
                            const RouteRules& rules);

// Multiply-adds and moved bytes of a node, as one number that progress is weighted with.
double planned_cost(const Node& node);

}  // namespace tintype
