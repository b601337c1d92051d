#include "backends/reference/element.h"
#include "backends/reference/kernels.h"

namespace tintype::reference {
namespace {

struct RopeRun final : Prepared {
  RopeRun(const NodeView&, const DeviceFacts&) {}

  void run(const Buffers& b) const noexcept override {
    const View &x = b.in[0], &table = b.in[1], &out = b.out[0];
    const Shape pairs{x.dim(0), x.dim(1), x.dim(2), x.dim(3) / 2};
    for_each_index(pairs, [&](const Index& i) {
      const Index even{i[0], i[1], i[2], 2 * i[3]}, odd{i[0], i[1], i[2], 2 * i[3] + 1};
      const double cosine = load(table, offset_of(table, table.shape(), {i[1], i[3], 0}));
      const double sine = load(table, offset_of(table, table.shape(), {i[1], i[3], 1}));
      const double a = load(x, offset_of(x, x.shape(), even));
      const double c = load(x, offset_of(x, x.shape(), odd));
      store(out, offset_of(out, out.shape(), even), a * cosine - c * sine);
      store(out, offset_of(out, out.shape(), odd), a * sine + c * cosine);
    });
  }
};

}  // namespace

const Kernel kRope{
    .id = "reference.rope",
    .op = Op::kRope,
    .needs = {.in = Access::kAny, .out = Access::kAny, .in_place = true},
    .prepare = prepare<RopeRun>,
};

}  // namespace tintype::reference
