#include <vector>

#include "backends/cpu/convert.h"
#include "backends/cpu/kernel_list.h"
#include "backends/cpu/walk.h"
#include "base/parallel.h"

namespace tintype::cpu {
namespace {

struct ConcatRun final : Prepared {
  ConcatRun(const NodeView& node, const DeviceFacts& facts)
      : move(convert_row(node.out_dtype(), node.out_dtype(), facts)) {
    const auto axis = static_cast<size_t>(node.node.attr<ConcatAttrs>().axis);
    const Layout& out = node.out[0];
    Dim first = 0;
    for (const Layout& in : node.in) {
      const Layout place{in.shape, out.strides};
      parts.push_back({Walk(in.shape, std::array{in, place}), first * out.strides[axis]});
      first += in.shape[static_cast<int>(axis)];
    }
  }

  void run(const Buffers& b) const noexcept override {
    const auto size = static_cast<Dim>(size_of(b.out[0].dtype));
    for (size_t i = 0; i < parts.size(); ++i) {
      const std::byte* const from = b.in[i].data;
      std::byte* const to = b.out[0].data + parts[i].offset * size;
      if (from == to) continue;  // made in place
      const Walk& walk = parts[i].walk;
      parallel_ranges(walk.pieces(), walk.grain(), [&](Dim begin, Dim end) {
        walk.visit(begin, end, [&](const Walk::Offsets& at, Dim n) {
          move(from + at[0] * size, to + at[1] * size, n);
        });
      });
    }
  }

  struct Part {
    Walk walk;
    Dim offset;  // in the output, in elements
  };
  std::vector<Part> parts;
  ConvertRow move;
};

}  // namespace

const Kernel kConcat{
    .id = "cpu.concat",
    .op = Op::kConcat,
    .needs = {.in = Access::kRows, .out = Access::kRows, .isa = Isa::kAvx2},
    .prepare = prepare<ConcatRun>,
};

}  // namespace tintype::cpu
