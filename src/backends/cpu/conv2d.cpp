// Convolution on the CPU, by oneDNN: the weight is decoded and rearranged into scratch at each use.
// A 1x1 convolution is a linear. The type of the product is chosen as there.
#include "backends/cpu/convert.h"
#include "backends/cpu/decode.h"
#include "backends/cpu/kernel_list.h"
#include "backends/cpu/linear.h"
#include "backends/cpu/onednn.h"
#include "base/parallel.h"
#include "base/rounding.h"

namespace tintype::cpu {
namespace {

ConvolutionSpec spec_of(const NodeView& node, DType type) {
  const Shape &x = node.in[0].shape, &w = node.node.weight[0].parameter->shape;
  const auto& attrs = node.node.attr<Conv2dAttrs>();
  return {.batch = x[0],
          .height = x[1],
          .width = x[2],
          .in_channels = x[3],
          .out_channels = node.node.weight[0].rows,
          .kernel_height = w[2],
          .kernel_width = w[3],
          .stride = attrs.stride,
          .top = attrs.top,
          .left = attrs.left,
          .bottom = attrs.bottom,
          .right = attrs.right,
          .type = type,
          .bias = node.in.size() > 1};
}

// A dense array in another type.
void convert_all(ConvertRow convert, const View& from, const View& to) {
  parallel_ranges(from.shape().elements(), 4096, [&](Dim begin, Dim end) {
    const auto first = static_cast<size_t>(begin);
    convert(from.data + first * size_of(from.dtype), to.data + first * size_of(to.dtype),
            end - begin);
  });
}

class Conv2d final : public Prepared {
 public:
  Conv2d(const NodeView& node, const DeviceFacts& facts)
      : type_(product_type(node.in_dtype(0), node.node.weight[0], facts)),
        widens_(type_ != node.in_dtype(0)),
        widen_(convert_row(node.in_dtype(0), type_, facts)),
        narrow_(convert_row(type_, node.out_dtype(), facts)),
        rows_(node.node.weight[0].rows),
        decoder_(node.node.weight[0], facts.isa),
        convolution_(spec_of(node, type_)) {
    const auto take = [&](size_t bytes) {
      const size_t at = scratch_;
      scratch_ += round_up(bytes, kScratchAlignment);
      return at;
    };
    const auto floats = [](Dim count) { return static_cast<size_t>(count) * sizeof(float); };
    const Dim cols = decoder_.rows().cols;
    in_ = take(widens_ ? floats(node.in[0].shape.elements()) : 0);
    out_ = take(widens_ ? floats(node.out[0].shape.elements()) : 0);
    weight_ = take(static_cast<size_t>(rows_ * cols) * size_of(type_));
    spare_ = take(floats(facts.threads * cols));
    packed_ = take(convolution_.packed_bytes());
    product_ = take(convolution_.scratch_bytes());
  }

  size_t scratch_bytes() const override { return scratch_; }

  void run(const Buffers& b) const noexcept override {
    const View &x = b.in[0], &y = b.out[0];
    std::byte* s = b.scratch;
    type_ == DType::kBF16 ? decode<BF16>(s) : decode<float>(s);
    convolution_.pack(s + weight_, s + packed_, s + product_);
    if (b.cancelled()) return;

    const View wide_x{s + in_, DType::kF32, x.layout}, wide_y{s + out_, DType::kF32, y.layout};
    if (widens_) convert_all(widen_, x, wide_x);
    convolution_.run(widens_ ? wide_x.data : x.data, s + packed_,
                     b.in.size() > 1 ? b.in[1].as<const float>() : nullptr,
                     widens_ ? wide_y.data : y.data, s + product_);
    if (widens_) convert_all(narrow_, wide_y, y);
  }

 private:
  template <class T>
  void decode(std::byte* scratch) const noexcept {
    const Dim cols = decoder_.rows().cols;
    parallel_for(rows_, [&](Dim r) {
      float* spare = reinterpret_cast<float*>(scratch + spare_) + thread_index() * cols;
      decoder_.decode(r, reinterpret_cast<T*>(scratch + weight_) + r * cols, spare);
    });
  }

  DType type_;
  bool widens_;
  ConvertRow widen_, narrow_;
  Dim rows_;
  RowDecoder decoder_;
  Convolution convolution_;
  size_t scratch_ = 0;
  size_t in_, out_, weight_, spare_, packed_, product_;  // where they begin in the scratch
};

std::unique_ptr<Prepared> prepare_conv2d(const NodeView& node, const DeviceFacts& facts) {
  const Shape& kernel = node.node.weight[0].parameter->shape;
  if (kernel[2] == 1 && kernel[3] == 1 && node.node.attr<Conv2dAttrs>() == Conv2dAttrs{})
    return prepare_linear(node, facts);
  return std::make_unique<Conv2d>(node, facts);
}

}  // namespace

const Kernel kConv2d{
    .id = "cpu.conv2d",
    .op = Op::kConv2d,
    .needs = {.dtypes = {DType::kF32, DType::kBF16}, .isa = Isa::kAvx2},
    .prepare = prepare_conv2d,
};

}  // namespace tintype::cpu
