#include "backends/reference/element.h"
#include "backends/reference/kernels.h"
#include "backends/reference/weight_rows.h"

namespace tintype::reference {
namespace {

struct EmbeddingRun final : Prepared {
  EmbeddingRun(const NodeView& node, const DeviceFacts&) : weight(node.node.weight) {}

  size_t scratch_bytes() const override { return weight.scratch_bytes(); }

  void run(const Buffers& b) const noexcept override {
    const View &tokens = b.in[0], &out = b.out[0];
    for_each_index(tokens.shape(), [&](const Index& i) {
      const auto token = static_cast<Dim>(load(tokens, offset_of(tokens, tokens.shape(), i)));
      Dim to = i[0] * out.stride(0) + i[1] * out.stride(1);
      for (float value : weight.decode(token, b.scratch)) {
        store(out, to, value);
        to += out.stride(2);
      }
    });
  }

  WeightRows weight;
};

}  // namespace

const Kernel kEmbedding{
    .id = "reference.embedding",
    .op = Op::kEmbedding,
    .needs = {.in = Access::kAny, .out = Access::kAny},
    .prepare = prepare<EmbeddingRun>,
};

}  // namespace tintype::reference
