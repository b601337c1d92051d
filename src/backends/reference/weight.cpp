#include "backends/reference/element.h"
#include "backends/reference/kernels.h"
#include "backends/reference/weight_rows.h"

namespace tintype::reference {
namespace {

struct WeightRun final : Prepared {
  WeightRun(const NodeView& node, const DeviceFacts&) : weight(node.node.weight) {}

  size_t scratch_bytes() const override { return weight.scratch_bytes(); }

  void run(const Buffers& b) const noexcept override {
    Dim next = 0;
    for (Dim row = 0; row < weight.rows(); ++row)
      for (float value : weight.decode(row, b.scratch)) store(b.out[0], next++, value);
  }

  WeightRows weight;
};

}  // namespace

const Kernel kWeight{
    .id = "reference.weight",
    .op = Op::kWeight,
    .needs = {},
    .prepare = prepare<WeightRun>,
};

}  // namespace tintype::reference
