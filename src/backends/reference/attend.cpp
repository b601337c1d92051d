#include <algorithm>
#include <cmath>

#include "backends/reference/element.h"
#include "backends/reference/kernels.h"

namespace tintype::reference {
namespace {

struct AttendRun final : Prepared {
  AttendRun(const NodeView& node, const DeviceFacts&)
      : attrs(node.node.attr<AttendAttrs>()), keys(node.node.inputs[1].dim(1)) {}

  size_t scratch_bytes() const override { return static_cast<size_t>(keys) * sizeof(double); }

  void run(const Buffers& b) const noexcept override {
    for_each_row(b.out[0].shape(), [&](const Index& query) { run_query(b, query); });
  }

  // `query` is the place of one query of one head: [batch, position, head, 0].
  void run_query(const Buffers& b, const Index& query) const {
    const View &k = b.in[1], &v = b.in[2], &out = b.out[0];
    auto* const weights = reinterpret_cast<double*>(b.scratch);
    const Dim seen = attrs.causal ? std::min(keys, query[1] + 1) : keys;

    double top = -INFINITY, sum = 0;
    for (Dim t = 0; t < seen; ++t) top = std::max(top, weights[t] = score(b, query, t, k));
    for (Dim t = 0; t < seen; ++t) sum += weights[t] = std::exp(weights[t] - top);

    const Dim to = offset_of(out, out.shape(), query);
    for (Dim d = 0; d < out.dim(3); ++d) {
      double mixed = 0;
      for (Dim t = 0; t < seen; ++t)
        mixed += weights[t] * load(v, offset_of(v, v.shape(), {query[0], t, query[2], d}));
      store(out, to + d * out.stride(3), mixed / sum);
    }
  }

  double score(const Buffers& b, const Index& query, Dim t, const View& k) const {
    const View& q = b.in[0];
    const Dim from = offset_of(q, q.shape(), query);
    const Dim key = offset_of(k, k.shape(), {query[0], t, query[2], 0});
    double sum = 0;
    for (Dim d = 0; d < q.dim(3); ++d)
      sum += load(q, from + d * q.stride(3)) * load(k, key + d * k.stride(3));
    sum *= attrs.scale;
    if (b.in.size() > 3) {
      const View& bias = b.in[3];
      sum += load(bias, offset_of(bias, bias.shape(), {query[2], query[1], t}));
    }
    return sum;
  }

  AttendAttrs attrs;
  Dim keys;
};

}  // namespace

const Kernel kAttend{
    .id = "reference.attend",
    .op = Op::kAttend,
    .needs = {.in = Access::kAny, .out = Access::kAny},
    .prepare = prepare<AttendRun>,
};

}  // namespace tintype::reference
