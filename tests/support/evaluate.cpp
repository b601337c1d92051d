#include "support/evaluate.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/cpu_info.h"
#include "base/error.h"
#include "base/parallel.h"
#include "support/allocations.h"

namespace tintype::test {
namespace {

constexpr std::byte kPoison{0xff};  // NaN as f32 and as bf16, -1 as an integer
constexpr size_t kMargin = 256;     // bytes of poison on either side
constexpr size_t kAlignment = 64;
constexpr size_t kMostAllocated = 4096;  // at once: argument lists of libraries

struct Memory {
  explicit Memory(size_t bytes, size_t shift)
      : block(bytes + 2 * kMargin + kAlignment + shift, kPoison) {
    const auto address = reinterpret_cast<uintptr_t>(block.data() + kMargin);
    const size_t skip = (kAlignment - address % kAlignment) % kAlignment;
    start = block.data() + kMargin + skip + shift;
  }
  std::vector<std::byte> block;
  std::byte* start;
};

// A value and the memory that it lies in.
struct Value {
  std::shared_ptr<Memory> memory;
  View view;
};

Dim extent(const Layout& layout) {
  Dim last = 0;
  for (int i = 0; i < layout.shape.rank(); ++i)
    last += (layout.shape[i] - 1) * layout.strides[static_cast<size_t>(i)];
  return layout.shape.elements() == 0 ? 0 : last + 1;
}

Value allocate(const Layout& layout, DType dtype, bool aligned) {
  const size_t bytes = static_cast<size_t>(extent(layout)) * size_of(dtype);
  auto memory = std::make_shared<Memory>(bytes, aligned ? 0 : size_of(dtype));
  std::byte* start = memory->start;
  return {std::move(memory), View{start, dtype, layout}};
}

// Calls f(pointer) for every element in row-major order.
template <class F>
void for_each_element(const View& view, F&& f) {
  std::array<Dim, kMaxRank> index{};
  const Dim count = view.shape().elements();
  for (Dim n = 0; n < count; ++n) {
    Dim at = 0;
    for (int a = 0; a < view.shape().rank(); ++a)
      at += index[static_cast<size_t>(a)] * view.stride(a);
    f(view.data + at * static_cast<Dim>(size_of(view.dtype)));
    for (int a = view.shape().rank() - 1; a >= 0; --a) {
      if (++index[static_cast<size_t>(a)] < view.dim(a)) break;
      index[static_cast<size_t>(a)] = 0;
    }
  }
}

Array gather(const View& view) {
  Array out(view.shape(), view.dtype);
  std::byte* next = out.bytes().data();
  const size_t size = size_of(view.dtype);
  for_each_element(view, [&](const std::byte* p) {
    std::memcpy(next, p, size);
    next += size;
  });
  return out;
}

void scatter(const Array& values, const View& view) {
  const std::byte* next = values.bytes().data();
  const size_t size = size_of(view.dtype);
  for_each_element(view, [&](std::byte* p) {
    std::memcpy(p, next, size);
    next += size;
  });
}

Value dense_value(const Array& array) {
  Value value = allocate(Layout::dense(array.shape()), array.dtype(), /*aligned=*/true);
  scatter(array, value.view);
  return value;
}

// A layout with as many gaps as `access` allows.
Layout with_gaps(const Shape& shape, Access access) {
  Layout layout = Layout::dense(shape);
  if (access == Access::kDense) return layout;
  Dim step = access == Access::kAny ? 2 : 1;
  for (int a = shape.rank() - 1; a >= 0; --a) {
    layout.strides[static_cast<size_t>(a)] = step;
    step *= shape[a];
    if (access != Access::kMatrix || a == shape.rank() - 1) step += 3;
  }
  return layout;
}

Array convert(const Array& from, DType to) {
  if (from.dtype() == to) return from;
  Array out(from.shape(), to);
  const size_t count = static_cast<size_t>(from.elements());
  if (from.dtype() == DType::kF32 && to == DType::kBF16) {
    for (size_t i = 0; i < count; ++i) out.values<BF16>()[i] = BF16(from.values()[i]);
  } else if (from.dtype() == DType::kBF16 && to == DType::kF32) {
    for (size_t i = 0; i < count; ++i) out.values()[i] = static_cast<float>(from.values<BF16>()[i]);
  } else if (from.dtype() == DType::kI8 && to == DType::kF32) {
    for (size_t i = 0; i < count; ++i) out.values()[i] = from.values<int8_t>()[i];
  } else if (from.dtype() == DType::kI32 && to == DType::kF32) {
    for (size_t i = 0; i < count; ++i)
      out.values()[i] = static_cast<float>(from.values<int32_t>()[i]);
  } else {
    fail(ErrorCode::kFailed, "evaluate: cannot convert ", from.dtype(), " to ", to);
  }
  return out;
}

class Evaluation {
 public:
  Evaluation(const Graph& graph, const NamedArrays& inputs, const ChooseKernel& choose,
             const DeviceFacts& facts, Placing placing)
      : inputs_(inputs), choose_(choose), facts_(facts), placing_(placing) {
    for (const Node& node : graph.nodes()) values_.push_back(compute(node));
  }

  Array result(const Tensor& tensor) const { return convert(gather(at(tensor).view), DType::kF32); }

 private:
  const Value& at(const Tensor& tensor) const {
    return values_[static_cast<size_t>(tensor.node().id)][static_cast<size_t>(tensor.output())];
  }

  std::vector<Value> compute(const Node& node) {
    switch (node.op) {
      case Op::kInput:
        return {dense_value(input(node))};
      case Op::kConstant:
        return {dense_value(*node.attr<ConstantAttrs>().value)};
      case Op::kReshape:
        return {reshape(node)};
      case Op::kPermute:
        return {permute(node)};
      case Op::kSlice:
        return {slice(node)};
      default:
        return run(node);
    }
  }

  Array input(const Node& node) const {
    const std::string& name = node.attr<InputAttrs>().name;
    const auto found = inputs_.find(name);
    check(found != inputs_.end(), ErrorCode::kFailed, "evaluate: no value for input ", name);
    check(found->second.shape() == node.outputs[0].shape, ErrorCode::kFailed, "evaluate: input ",
          name, " has shape ", found->second.shape(), ", needs ", node.outputs[0].shape);
    return convert(found->second, node.outputs[0].dtype);
  }

  Value reshape(const Node& node) const {
    Value value = at(node.inputs[0]);
    if (!reshaped(value.view.layout, node.outputs[0].shape))
      value = dense_value(gather(value.view));
    value.view.layout = *reshaped(value.view.layout, node.outputs[0].shape);
    return value;
  }

  Value permute(const Node& node) const {
    Value value = at(node.inputs[0]);
    const auto& axes = node.attr<PermuteAttrs>().axes;
    const auto rank = static_cast<size_t>(node.outputs[0].shape.rank());
    value.view.layout = permuted(value.view.layout, {axes.data(), rank});
    return value;
  }

  Value slice(const Node& node) const {
    Value value = at(node.inputs[0]);
    const auto& [axis, first] = node.attr<SliceAttrs>();
    value.view.data +=
        first * value.view.stride(axis) * static_cast<Dim>(size_of(value.view.dtype));
    value.view.layout.shape = node.outputs[0].shape;
    return value;
  }

  // An input where the kernel can read it: a copy, unless it fits as it is.
  Value place(const Value& value, Access access) const {
    if (placing_ == Placing::kDense && fits(value.view.layout, access)) return value;
    const bool gaps = placing_ == Placing::kStrided;
    const Shape& shape = value.view.shape();
    const Layout layout = gaps ? with_gaps(shape, access) : Layout::dense(shape);
    Value placed = allocate(layout, value.view.dtype, /*aligned=*/!gaps);
    scatter(gather(value.view), placed.view);
    return placed;
  }

  std::vector<Value> run(const Node& node) const {
    const Kernel& kernel = choose_(node);
    std::vector<Value> in, out;
    for (const Tensor& t : node.inputs) in.push_back(place(at(t), kernel.needs.in));
    for (const TensorType& type : node.outputs) {
      const bool gaps = placing_ == Placing::kStrided;
      const Layout layout =
          gaps ? with_gaps(type.shape, kernel.needs.out) : Layout::dense(type.shape);
      out.push_back(allocate(layout, type.dtype, /*aligned=*/!gaps));
    }
    const bool in_place = placing_ == Placing::kInPlace && kernel.needs.in_place &&
                          node.inputs[0].type() == node.outputs[0];
    if (in_place) out[0] = in[0];
    execute(node, kernel, in, out);
    return results(node, kernel, out);
  }

  void execute(const Node& node, const Kernel& kernel, const std::vector<Value>& in,
               const std::vector<Value>& out) const {
    std::vector<Layout> in_layouts, out_layouts;
    std::vector<View> in_views, out_views;
    for (const Value& v : in) in_layouts.push_back(v.view.layout), in_views.push_back(v.view);
    for (const Value& v : out) out_layouts.push_back(v.view.layout), out_views.push_back(v.view);

    const auto prepared = kernel.prepare(NodeView{node, in_layouts, out_layouts}, facts_);
    const size_t scratch_bytes = prepared->scratch_bytes();
    Memory scratch(scratch_bytes, 0);
    take_largest_allocation();
    prepared->run(Buffers{in_views, out_views, scratch.start});
    const size_t allocated = take_largest_allocation();
    check(allocated <= kMostAllocated, ErrorCode::kFailed, kernel.id, ": allocated ", allocated,
          " bytes at once during its run");
    std::fill_n(scratch.start, scratch_bytes, kPoison);
    check(intact(scratch), ErrorCode::kFailed, kernel.id, ": wrote outside its scratch of ",
          scratch_bytes, " bytes");
  }

  static bool intact(const Memory& memory) {
    return std::ranges::all_of(memory.block, [](std::byte b) { return b == kPoison; });
  }

  // The outputs as dense values, once it is known that nothing else was written.
  std::vector<Value> results(const Node& node, const Kernel& kernel,
                             const std::vector<Value>& out) const {
    std::vector<Value> values;
    for (const Value& v : out) {
      values.push_back(dense_value(gather(v.view)));
      for_each_element(v.view,
                       [&](std::byte* p) { std::fill_n(p, size_of(v.view.dtype), kPoison); });
      check(intact(*v.memory), ErrorCode::kFailed, kernel.id, ": wrote outside the output ",
            v.view.shape(), " of ", node.layer);
    }
    return values;
  }

  const NamedArrays& inputs_;
  const ChooseKernel& choose_;
  const DeviceFacts& facts_;
  Placing placing_;
  std::vector<std::vector<Value>> values_;  // by node id, then output
};

}  // namespace

NamedArrays evaluate(const Graph& graph, const NamedArrays& inputs, const ChooseKernel& choose,
                     const DeviceFacts& facts, Placing placing) {
  const Evaluation evaluation(graph, inputs, choose, facts, placing);
  NamedArrays outputs;
  for (const NamedTensor& out : graph.outputs())
    outputs.emplace(out.name, evaluation.result(out.tensor));
  return outputs;
}

NamedArrays evaluate(const Graph& graph, const NamedArrays& inputs, const Backend& backend,
                     const DeviceFacts& facts) {
  const auto choose = [&](const Node& node) -> const Kernel& {
    return choose_kernel(backend, node, facts, {});
  };
  return evaluate(graph, inputs, choose, facts);
}

DeviceFacts test_facts() {
  const CpuInfo cpu = cpu_info();
  const char* wanted = std::getenv("TINTYPE_ISA");
  const bool avx512 = cpu.avx512 && (wanted == nullptr || std::string_view(wanted) != "avx2");
  DeviceFacts facts;
  facts.isa = avx512 ? Isa::kAvx512 : cpu.avx2 ? Isa::kAvx2 : Isa::kScalar;
  facts.int8_dot = avx512 ? cpu.avx512_vnni : cpu.avx_vnni;
  facts.bf16_dot = avx512 && cpu.avx512_bf16;
  facts.amx = avx512 && cpu.amx_tile && cpu.amx_bf16 && cpu.amx_int8;
  facts.amd = cpu.vendor == "AuthenticAMD";
  facts.threads = threads();
  return facts;
}

}  // namespace tintype::test
