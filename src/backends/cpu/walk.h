// How a kernel walks operands of one shape but of different strides: as rows in which each operand
// either is contiguous or repeats one element.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "base/parallel.h"
#include "graph/kernel.h"

namespace tintype::cpu {

class Walk {
 public:
  static constexpr size_t kMaxOperands = 4;
  using Offsets = std::array<Dim, kMaxOperands>;  // in elements

  enum class Rows : uint8_t {
    kLongest,   // axes that all operands walk with one stride are merged: dense operands are one
                // row, however many axes they have; long rows are cut
    kLastAxis,  // what norms and rotations compute with
  };

  // Operands with fewer or shorter axes are stretched to `shape`.
  Walk(const Shape& shape, std::span<const Layout> operands, Rows rows = Rows::kLongest);

  // What parallel loops count: rows, or parts of long ones.
  Dim pieces() const { return rows_ * parts_; }
  // Pieces that are worth a thread of their own.
  Dim grain() const;
  Dim cols() const { return cols_; }
  // True if the operand is one element all along a row.
  bool repeats(size_t operand) const { return inner_[operand] == 0; }

  // Calls f(offsets, n) for each of the pieces [begin, end): n elements of every operand.
  template <class F>
  void visit(Dim begin, Dim end, F&& f) const {
    for (Dim piece = begin; piece < end; ++piece) {
      const Dim first = piece % parts_ * part_;
      f(offsets(piece / parts_, first), std::min(part_, cols_ - first));
    }
  }

 private:
  static constexpr Dim kPart = 4096;  // elements: a few times 16 kB fit the first-level cache

  struct Axis {
    Dim length = 1;
    Offsets strides{};
  };

  Offsets offsets(Dim row, Dim col) const;

  std::array<Axis, kMaxRank> axes_{};  // of rows, innermost first
  size_t rank_ = 0;
  Offsets inner_{};  // strides along a row: 0 or 1
  Dim rows_ = 1, cols_ = 1;
  Dim part_ = kPart, parts_ = 1;  // elements, and number, of the parts of a row
};

// Over the inputs of a node and then its output.
Walk walk_of(const NodeView& node, Walk::Rows rows = Walk::Rows::kLongest);

// Calls f(operands, n) for each piece of the inputs and, after them, of the output; in parallel.
template <class F>
void parallel_walk(const Walk& walk, const Buffers& buffers, F&& f) {
  std::array<const View*, Walk::kMaxOperands> views{};
  size_t count = 0;
  for (const View& in : buffers.in) views[count++] = &in;
  views[count++] = &buffers.out[0];

  parallel_ranges(walk.pieces(), walk.grain(), [&](Dim begin, Dim end) {
    walk.visit(begin, end, [&](const Walk::Offsets& offsets, Dim n) {
      std::array<std::byte*, Walk::kMaxOperands> operands{};
      for (size_t i = 0; i < count; ++i)
        operands[i] = views[i]->data + offsets[i] * static_cast<Dim>(size_of(views[i]->dtype));
      f(operands, n);
    });
  });
}

}  // namespace tintype::cpu
