// Operations that compute each element of the output from the same element of every input.
#pragma once

#include "backends/reference/element.h"
#include "graph/kernel.h"

namespace tintype::reference {

// `f` takes one double per input. Inputs are stretched to the shape of the output.
template <double (*f)(double)>
struct Pointwise1 final : Prepared {
  Pointwise1(const NodeView&, const DeviceFacts&) {}
  void run(const Buffers& b) const noexcept override {
    const View &x = b.in[0], &out = b.out[0];
    for_each_index(out.shape(), [&](const Index& i) {
      store(out, offset_of(out, out.shape(), i), f(load(x, offset_of(x, out.shape(), i))));
    });
  }
};

template <double (*f)(double, double)>
struct Pointwise2 final : Prepared {
  Pointwise2(const NodeView&, const DeviceFacts&) {}
  void run(const Buffers& b) const noexcept override {
    const View &x = b.in[0], &y = b.in[1], &out = b.out[0];
    for_each_index(out.shape(), [&](const Index& i) {
      store(out, offset_of(out, out.shape(), i),
            f(load(x, offset_of(x, out.shape(), i)), load(y, offset_of(y, out.shape(), i))));
    });
  }
};

}  // namespace tintype::reference
