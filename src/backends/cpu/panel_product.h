// A product x [M, K] times the rows of a weight [N, K], cut into panels of weight rows, each of
// which one thread decodes, multiplies and stores: panels fit the cache, no thread waits for
// another, and sums don't depend on how many threads there are.
#pragma once

#include "backends/cpu/onednn.h"
#include "base/parallel.h"
#include "graph/kernel.h"

namespace tintype::cpu {

// One panel: weight rows [first, first + width), of which `skip` belong to the panel before.
struct Panel {
  Dim first, width, skip;
  std::byte* weights;  // room for the decoded rows [width, K]
  float* spare;        // K floats
  std::byte* packed;   // the rows as oneDNN wants them
  std::byte* sums;     // [block rows, width], rows sums_stride apart
  std::byte* product;  // oneDNN's
};

class PanelProduct {
 public:
  // Sums are f32, of int8 factors s32. `decoded`: weights are put into Panel::weights first.
  PanelProduct(Dim m, Dim n, Dim k, Dim x_stride, DType type, bool decoded,
               const DeviceFacts& facts);

  size_t scratch_bytes() const { return static_cast<size_t>(threads_) * bytes_.all; }
  Dim sums_stride() const { return cut_.sums_stride; }
  Dim block_rows() const { return cut_.block_rows; }

  // `weights(panel)` returns the panel's rows; `store(panel, row)` reads the sums of rows
  // [row, row + block_rows()). The last block may begin inside the one before. `buffers` says
  // whether the run was cancelled; `scratch` may lie inside its own.
  template <class Weights, class Store>
  void run(const Buffers& buffers, const std::byte* x, std::byte* scratch, Weights&& weights,
           Store&& store) const {
    parallel_for(cut_.panels, [&](Dim i) {
      if (buffers.cancelled()) return;
      const Panel panel = this->panel(i, scratch);
      const void* rows = pack(weights(panel), panel);
      for (Dim block = 0; block < cut_.blocks; ++block)
        store(panel, multiply(x, block, rows, panel));
    });
  }

 private:
  // How the product is cut.
  struct Cut {
    Dim panels, width;       // of weight rows
    Dim blocks, block_rows;  // of rows of x
    Dim sums_stride;
    bool packs;  // panels are packed before they meet the blocks
  };
  // Sizes of what a thread needs.
  struct Bytes {
    size_t weights, spare, packed, sums, product, all;
  };
  static Cut cut(Dim m, Dim n, Dim k, DType type, const DeviceFacts& facts);
  Bytes bytes(Dim k, DType type, bool decoded) const;

  Panel panel(Dim i, std::byte* scratch) const;
  const void* pack(const void* rows, const Panel& panel) const noexcept;
  Dim multiply(const std::byte* x, Dim block, const void* rows, const Panel& panel) const noexcept;

  Dim m_, n_;
  size_t x_row_bytes_;
  int threads_;
  Cut cut_;
  MatMul product_;
  Bytes bytes_;
};

}  // namespace tintype::cpu
