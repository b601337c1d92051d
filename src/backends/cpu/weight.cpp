#include "backends/cpu/kernel_list.h"
#include "base/parallel.h"

namespace tintype::cpu {
namespace {

struct WeightRun final : Prepared {
  WeightRun(const NodeView& node, const DeviceFacts&) : slices(node.node.weight) {}

  void run(const Buffers& b) const noexcept override {
    float* out = b.out[0].as<float>();
    for (const RowSlice& s : slices) {
      const Parameter& p = *s.parameter;
      const Dim tile = p.format->row_multiple(), cols = p.cols();
      parallel_ranges((s.rows + tile - 1) / tile, 16384 / (tile * cols) + 1,
                      [&](Dim begin, Dim end) {
                        const Dim first = begin * tile, last = std::min(s.rows, end * tile);
                        p.format->decode_rows(p, s.first + first, last - first, out + first * cols);
                      });
      out += s.rows * cols;
    }
  }

  std::vector<RowSlice> slices;
};

}  // namespace

const Kernel kWeight{
    .id = "cpu.weight",
    .op = Op::kWeight,
    .needs = {},
    .prepare = prepare<WeightRun>,
};

}  // namespace tintype::cpu
