#include <algorithm>

#include "backends/cpu/convert.h"
#include "backends/cpu/kernel_list.h"
#include "base/parallel.h"

namespace tintype::cpu {
namespace {

struct EmbeddingRun final : Prepared {
  EmbeddingRun(const NodeView& node, const DeviceFacts& facts)
      : slices(node.node.weight),
        parts(std::max(1, facts.threads)),
        convert(convert_row(DType::kF32, node.out_dtype(), facts)) {
    for (const RowSlice& s : slices)
      tile_floats =
          std::max(tile_floats, s.parameter->format->row_multiple() * s.parameter->cols());
  }

  size_t scratch_bytes() const override {
    return static_cast<size_t>(parts * tile_floats) * sizeof(float);
  }

  void run(const Buffers& b) const noexcept override {
    const View &tokens = b.in[0], &out = b.out[0];
    const Dim length = tokens.dim(1), count = tokens.dim(0) * length;
    const Dim share = (count + parts - 1) / parts;
    parallel_for(parts, [&](Dim part) {
      float* const tile = reinterpret_cast<float*>(b.scratch) + part * tile_floats;
      for (Dim i = part * share; i < std::min(count, (part + 1) * share); ++i) {
        const Dim image = i / length, position = i % length;
        const Dim from = image * tokens.stride(0) + position * tokens.stride(1);
        const Dim to = image * out.stride(0) + position * out.stride(1);
        const float* row = decode(tokens.as<int32_t>()[from], tile);
        convert(reinterpret_cast<const std::byte*>(row),
                out.data + to * static_cast<Dim>(size_of(out.dtype)), out.dim(2));
      }
    });
  }

  // Row `row` of all slices, one below the other.
  const float* decode(Dim row, float* tile) const {
    auto slice = slices.begin();
    for (; row >= slice->rows; ++slice) row -= slice->rows;
    const Parameter& p = *slice->parameter;
    const Dim multiple = p.format->row_multiple(), wanted = slice->first + row;
    const Dim first = wanted / multiple * multiple;
    p.format->decode_rows(p, first, std::min(multiple, p.rows() - first), tile);
    return tile + (wanted - first) * p.cols();
  }

  std::vector<RowSlice> slices;
  Dim parts, tile_floats = 0;
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
