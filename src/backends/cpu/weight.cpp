#include "backends/cpu/kernel_list.h"
#include "base/parallel.h"

namespace tintype::cpu {
namespace {

constexpr Dim kGrain = 16384;  // elements that a thread decodes at least

struct WeightRun final : Prepared {
  WeightRun(const NodeView& node, const DeviceFacts&) : slices(node.node.weight) {}

  void run(const Buffers& b) const noexcept override {
    float* out = b.out[0].as<float>();
    for (const RowSlice& s : slices) {
      const Parameter& p = *s.parameter;
      const Dim cols = p.cols();
      parallel_ranges(s.rows, kGrain / cols + 1, [&](Dim begin, Dim end) {
        p.format->decode_rows(p, s.first + begin, end - begin, out + begin * cols);
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
