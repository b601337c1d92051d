// Gathers a strided value, converting between float types on the way.
#include <algorithm>
#include <array>

#include "backends/cpu/convert.h"
#include "backends/cpu/kernel_list.h"
#include "backends/cpu/walk.h"
#include "base/parallel.h"
#include "base/rounding.h"

namespace tintype::cpu {
namespace {

// Where both sides have contiguous rows.
struct CopyRows final : Prepared {
  CopyRows(const NodeView& node, const DeviceFacts& facts, const Walk& rows)
      : walk(rows), convert(convert_row(node.in_dtype(0), node.out_dtype(), facts)) {}

  void run(const Buffers& b) const noexcept override {
    const View &in = b.in[0], &out = b.out[0];
    const auto in_size = static_cast<Dim>(size_of(in.dtype));
    const auto out_size = static_cast<Dim>(size_of(out.dtype));
    parallel_ranges(walk.pieces(), walk.grain(), [&](Dim begin, Dim end) {
      walk.visit(begin, end, [&](const Walk::Offsets& at, Dim n) {
        convert(in.data + at[0] * in_size, out.data + at[1] * out_size, n);
      });
    });
  }

  Walk walk;
  ConvertRow convert;
};

// A matrix whose columns are rows in memory: `across` is contiguous in the input, `along` in the
// output.
struct Tile {
  Dim along, across;
  Dim in_along, in_across, out_along, out_across;  // strides in elements
};

template <class From, class To>
void copy_tile(const std::byte* from, std::byte* to, const Tile& t) {
  const From* in = reinterpret_cast<const From*>(from);
  To* out = reinterpret_cast<To*>(to);
  for (Dim i = 0; i < t.across; ++i)
    for (Dim j = 0; j < t.along; ++j)
      out[i * t.out_across + j * t.out_along] =
          static_cast<To>(in[i * t.in_across + j * t.in_along]);
}

using CopyTile = void (*)(const std::byte*, std::byte*, const Tile&);

CopyTile tile_function(DType from, DType to) {
  if (from == DType::kF32 && to == DType::kBF16) return copy_tile<float, BF16>;
  if (from == DType::kBF16 && to == DType::kF32) return copy_tile<BF16, float>;
  switch (size_of(from)) {
    case 1:
      return copy_tile<uint8_t, uint8_t>;
    case 2:
      return copy_tile<uint16_t, uint16_t>;
    case 4:
      return copy_tile<uint32_t, uint32_t>;
    default:
      return copy_tile<uint64_t, uint64_t>;
  }
}

// Where the input's last axis is not contiguous: square tiles, so that every cache line that is
// fetched is used up before it is dropped.
struct CopyTransposed final : Prepared {
  static constexpr Dim kSide = 32;

  CopyTransposed(const NodeView& node, const DeviceFacts&)
      : in(node.in[0]), out(node.out[0]), copy(tile_function(node.in_dtype(0), node.out_dtype())) {
    for (int a = 0; a < in.shape.rank(); ++a) {
      if (in.shape[a] == 1) continue;
      along = a;
      if (in.strides[static_cast<size_t>(a)] == 1) across = a;
    }
    if (across == along) across = along == 0 ? in.shape.rank() - 1 : 0;
    count = in.shape;
    count[along] = divide_up(count[along], kSide);
    count[across] = divide_up(count[across], kSide);
  }

  void run(const Buffers& b) const noexcept override {
    parallel_ranges(count.elements(), 4, [&](Dim begin, Dim end) {
      for (Dim tile = begin; tile < end; ++tile) run_tile(b, tile);
    });
  }

  void run_tile(const Buffers& b, Dim tile) const {
    Dim from = 0, to = 0;
    Tile t{.along = 1,
           .across = 1,
           .in_along = stride(in, along),
           .in_across = stride(in, across),
           .out_along = stride(out, along),
           .out_across = stride(out, across)};
    for (int a = count.rank() - 1; a >= 0; --a) {
      Dim index = tile % count[a];
      tile /= count[a];
      if (a == along || a == across) {
        index *= kSide;
        (a == along ? t.along : t.across) = std::min(kSide, in.shape[a] - index);
      }
      from += index * stride(in, a);
      to += index * stride(out, a);
    }
    copy(b.in[0].data + from * static_cast<Dim>(size_of(b.in[0].dtype)),
         b.out[0].data + to * static_cast<Dim>(size_of(b.out[0].dtype)), t);
  }

  static Dim stride(const Layout& layout, int axis) {
    return layout.strides[static_cast<size_t>(axis)];
  }

  Layout in, out;
  CopyTile copy;
  int along = 0, across = 0;
  Shape count;  // of tiles
};

std::unique_ptr<Prepared> prepare_copy(const NodeView& node, const DeviceFacts& facts) {
  const Walk walk(node.out[0].shape, std::array{node.in[0], node.out[0]});
  if (walk.cols() > 1 || node.out[0].shape.rank() < 2)
    return std::make_unique<CopyRows>(node, facts, walk);
  return std::make_unique<CopyTransposed>(node, facts);
}

}  // namespace

const Kernel kCopy{
    .id = "cpu.copy",
    .op = Op::kCopy,
    .needs = {.in = Access::kAny, .out = Access::kRows, .isa = Isa::kAvx2},
    .prepare = prepare_copy,
};

}  // namespace tintype::cpu
