#include <algorithm>

#include "backends/cpu/convert.h"
#include "backends/cpu/kernel_list.h"
#include "base/parallel.h"
#include "base/rounding.h"

namespace tintype::cpu {
namespace {

struct EmbeddingRun final : Prepared {
  EmbeddingRun(const NodeView& node, const DeviceFacts& facts)
      : slices(node.node.weight),
        parts(std::max(1, facts.threads)),
        width(node.node.outputs[0].shape.cols()),
        convert(convert_row(DType::kF32, node.out_dtype(), facts)) {}

  size_t scratch_bytes() const override {
    return static_cast<size_t>(parts * width) * sizeof(float);
  }

  void run(const Buffers& b) const noexcept override {
    const View &tokens = b.in[0], &out = b.out[0];
    const Dim length = tokens.dim(1), count = tokens.dim(0) * length;
    const Dim share = divide_up(count, parts);
    parallel_for(parts, [&](Dim part) {
      float* const row = reinterpret_cast<float*>(b.scratch) + part * width;
      for (Dim i = part * share; i < std::min(count, (part + 1) * share); ++i) {
        const Dim image = i / length, position = i % length;
        const Dim from = image * tokens.stride(0) + position * tokens.stride(1);
        const Dim to = image * out.stride(0) + position * out.stride(1);
        decode(tokens.as<int32_t>()[from], row);
        convert(reinterpret_cast<const std::byte*>(row),
                out.data + to * static_cast<Dim>(size_of(out.dtype)), width);
      }
    });
  }

  // Row `row` of all slices, one below the other.
  void decode(Dim row, float* values) const {
    auto slice = slices.begin();
    for (; row >= slice->rows; ++slice) row -= slice->rows;
    slice->parameter->format->decode_rows(*slice->parameter, slice->first + row, 1, values);
  }

  std::vector<RowSlice> slices;
  Dim parts, width;
  ConvertRow convert;
};

}  // namespace

const Kernel kEmbedding{
    .id = "cpu.embedding",
    .op = Op::kEmbedding,
    .needs = {.in = Access::kRows, .out = Access::kRows, .isa = Isa::kAvx2},
    .prepare = prepare<EmbeddingRun>,
};

}  // namespace tintype::cpu
