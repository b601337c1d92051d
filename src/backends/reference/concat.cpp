#include "backends/reference/element.h"
#include "backends/reference/kernels.h"

namespace tintype::reference {
namespace {

struct ConcatRun final : Prepared {
  ConcatRun(const NodeView& node, const DeviceFacts&)
      : axis(static_cast<size_t>(node.node.attr<ConcatAttrs>().axis)) {}

  void run(const Buffers& b) const noexcept override {
    const View& out = b.out[0];
    Dim first = 0;
    for (const View& part : b.in) {
      for_each_index(part.shape(), [&](const Index& i) {
        Index to = i;
        to[axis] += first;
        store(out, offset_of(out, out.shape(), to), load(part, offset_of(part, part.shape(), i)));
      });
      first += part.dim(static_cast<int>(axis));
    }
  }

  size_t axis;
};

}  // namespace

const Kernel kConcat{
    .id = "reference.concat",
    .op = Op::kConcat,
    .needs = {.in = Access::kAny, .out = Access::kAny},
    .prepare = prepare<ConcatRun>,
};

}  // namespace tintype::reference
