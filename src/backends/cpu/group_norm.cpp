// (x - mean) / sqrt(variance + eps) * scale + shift, mean and variance taken over all pixels and a
// group of channels; then silu, if asked for.
//
// The image is read twice: once in chunks that fit a cache, for the mean of each and the squares
// around it, which are put together in double; once to be normalised. Chunks depend on the shape
// alone, and so does the result.
#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/group_norm.cpp"
#include "backends/cpu/kernel_list.h"
#include "backends/cpu/math_simd.h"
#include "backends/cpu/pointwise_simd.h"
#include "base/error.h"
#include "base/rounding.h"

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {

struct AddTo {
  HWY_INLINE FloatVec operator()(FloatVec sum, FloatVec x) const { return hn::Add(sum, x); }
};

struct AddSquareTo {
  HWY_INLINE FloatVec operator()(FloatVec sum, FloatVec x, FloatVec mean) const {
    const FloatVec d = hn::Sub(x, mean);
    return hn::MulAdd(d, d, sum);
  }
};

struct NormaliseChannels {
  HWY_INLINE FloatVec operator()(FloatVec x, FloatVec mean, FloatVec factor, FloatVec shift) const {
    return hn::MulAdd(hn::Sub(x, mean), factor, shift);
  }
};

struct NormaliseThenSilu {
  HWY_INLINE FloatVec operator()(FloatVec x, FloatVec mean, FloatVec factor, FloatVec shift) const {
    const FloatVec y = NormaliseChannels()(x, mean, factor, shift);
    return hn::Mul(y, sigmoid(y));
  }
};

HWY_INLINE Each<float> each_channel(const float* values) {
  return Each<float>(reinterpret_cast<const std::byte*>(values));
}

// sums[c] += x[pixel, c], or its squared distance from mean[c], for each pixel.
template <class T>
void add_channels(const std::byte* x, Dim pixels, Dim channels, const float* mean, float* sums) {
  for (Dim p = 0; p < pixels; ++p) {
    const Each<T> row(x + p * channels * static_cast<Dim>(sizeof(T)));
    if (mean == nullptr) {
      map_row(AddTo(), channels, sums, each_channel(sums), row);
    } else {
      map_row(AddSquareTo(), channels, sums, each_channel(sums), row, each_channel(mean));
    }
  }
}

// `rows` are the means, the factors and the shifts of the channels.
template <class T, class F>
void normalise_with(F f, const std::byte* x, std::byte* out, Dim pixels, Dim channels,
                    const float* rows) {
  const Each<float> mean = each_channel(rows), factor = each_channel(rows + channels),
                    shift = each_channel(rows + 2 * channels);
  for (Dim p = 0; p < pixels; ++p) {
    const Dim at = p * channels * static_cast<Dim>(sizeof(T));
    map_row(f, channels, reinterpret_cast<T*>(out + at), Each<T>(x + at), mean, factor, shift);
  }
}

template <class T>
void normalise_channels(const std::byte* x, std::byte* out, Dim pixels, Dim channels,
                        const float* rows, bool silu) {
  if (silu) {
    normalise_with<T>(NormaliseThenSilu(), x, out, pixels, channels, rows);
  } else {
    normalise_with<T>(NormaliseChannels(), x, out, pixels, channels, rows);
  }
}

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tintype::cpu {
namespace {

// 64 kB of f32. Few enough pixels for sums in f32, one pixel after the other.
constexpr Dim kChunkElements = 16384, kMostPixels = 256;

struct Statistics {
  double mean = 0, squares = 0;  // the sum of the squares around the mean
};

class GroupNorm final : public Prepared {
 public:
  GroupNorm(const NodeView& node, const DeviceFacts& facts);

  // Statistics of every chunk; three rows for every image, two for each thread.
  size_t scratch_bytes() const override {
    return static_cast<size_t>(images_ * chunks_ * attrs_.groups) * sizeof(Statistics) +
           static_cast<size_t>((3 * images_ + 2 * threads_) * channels_) * sizeof(float);
  }
  void run(const Buffers& b) const noexcept override;

 private:
  struct Places {
    Statistics* chunks;  // [B, chunks, groups]
    float* channels;     // [B, 3, C]: mean, factor and shift
    float* work;         // [threads, 2, C]
  };

  Dim pixels_of(Dim chunk) const { return std::min(chunk_, pixels_ - chunk * chunk_); }
  std::byte* chunk_of(const View& image, Dim index) const;
  void measure(const View& x, Dim index, float* sums, Statistics* groups) const;
  Statistics combine(const Statistics* chunks, Dim group) const;
  void prepare_group(const Buffers& b, const Places& at, Dim image, Dim group) const;

  GroupNormAttrs attrs_;
  Dim images_, pixels_, channels_;
  Dim chunk_, chunks_;  // pixels of a chunk; number of them in an image
  Dim threads_;
  decltype(&N_AVX2::add_channels<float>) add_;
  decltype(&N_AVX2::normalise_channels<float>) normalise_;
};

GroupNorm::GroupNorm(const NodeView& node, const DeviceFacts& facts)
    : attrs_(node.node.attr<GroupNormAttrs>()), threads_(facts.threads) {
  const Shape& shape = node.in[0].shape;
  images_ = shape[0];
  pixels_ = shape[1] * shape[2];
  channels_ = shape[3];
  chunk_ = std::clamp(kChunkElements / channels_, Dim{1}, kMostPixels);
  chunks_ = divide_up(pixels_, chunk_);
  const bool bf16 = node.in_dtype(0) == DType::kBF16;
  add_ = bf16 ? TINTYPE_FOR_ISA(facts.isa, add_channels<BF16>)
              : TINTYPE_FOR_ISA(facts.isa, add_channels<float>);
  normalise_ = bf16 ? TINTYPE_FOR_ISA(facts.isa, normalise_channels<BF16>)
                    : TINTYPE_FOR_ISA(facts.isa, normalise_channels<float>);
}

// Chunks are counted through the batch.
std::byte* GroupNorm::chunk_of(const View& image, Dim index) const {
  const Dim pixel = index / chunks_ * pixels_ + index % chunks_ * chunk_;
  return image.data + pixel * channels_ * static_cast<Dim>(size_of(image.dtype));
}

// `sums` has room for two values of each channel.
void GroupNorm::measure(const View& x, Dim index, float* sums, Statistics* groups) const {
  const std::byte* const first = chunk_of(x, index);
  const Dim pixels = pixels_of(index % chunks_), width = channels_ / attrs_.groups;
  float* const means = sums + channels_;

  std::fill_n(sums, channels_, 0.0f);
  add_(first, pixels, channels_, nullptr, sums);
  for (Dim g = 0; g < attrs_.groups; ++g) {
    double sum = 0;
    for (Dim c = g * width; c < (g + 1) * width; ++c) sum += static_cast<double>(sums[c]);
    const auto mean = static_cast<float>(sum / static_cast<double>(pixels * width));
    std::fill_n(means + g * width, width, mean);
    groups[g].mean = static_cast<double>(mean);
  }
  std::fill_n(sums, channels_, 0.0f);
  add_(first, pixels, channels_, means, sums);
  for (Dim g = 0; g < attrs_.groups; ++g) {
    groups[g].squares = 0;
    for (Dim c = g * width; c < (g + 1) * width; ++c)
      groups[g].squares += static_cast<double>(sums[c]);
  }
}

// Of all chunks of an image: the squares around the mean of all are those around the mean of each
// chunk, and the square of its distance from that mean for each of its elements.
Statistics GroupNorm::combine(const Statistics* chunks, Dim group) const {
  const auto each = [&](auto&& f) {
    for (Dim i = 0; i < chunks_; ++i)
      f(chunks[i * attrs_.groups + group], static_cast<double>(pixels_of(i)));
  };
  Statistics all;
  each([&](const Statistics& s, double pixels) { all.mean += s.mean * pixels; });
  all.mean /= static_cast<double>(pixels_);
  const Dim width = channels_ / attrs_.groups;
  each([&](const Statistics& s, double pixels) {
    const double apart = s.mean - all.mean;
    all.squares += s.squares + apart * apart * pixels * static_cast<double>(width);
  });
  return all;
}

// What the channels of a group become: (x - mean) * factor + shift. What the mean loses when it is
// rounded to f32 goes into the shift.
void GroupNorm::prepare_group(const Buffers& b, const Places& at, Dim image, Dim group) const {
  const Dim width = channels_ / attrs_.groups;
  const Statistics all = combine(at.chunks + image * chunks_ * attrs_.groups, group);
  const double variance = all.squares / static_cast<double>(pixels_ * width);
  const double factor = 1 / std::sqrt(variance + static_cast<double>(attrs_.eps));
  const auto mean = static_cast<float>(all.mean);
  const double rest = all.mean - static_cast<double>(mean);
  float* const row = at.channels + image * 3 * channels_;
  for (Dim c = group * width; c < (group + 1) * width; ++c) {
    const double scale = factor * static_cast<double>(b.in[1].as<float>()[c]);
    row[c] = mean;
    row[channels_ + c] = static_cast<float>(scale);
    row[2 * channels_ + c] =
        static_cast<float>(static_cast<double>(b.in[2].as<float>()[c]) - rest * scale);
  }
}

void GroupNorm::run(const Buffers& b) const noexcept {
  TINTYPE_ASSERT(threads() <= threads_);
  Places at{};
  at.chunks = reinterpret_cast<Statistics*>(b.scratch);
  at.channels = reinterpret_cast<float*>(at.chunks + images_ * chunks_ * attrs_.groups);
  at.work = at.channels + images_ * 3 * channels_;

  parallel_for(images_ * chunks_, [&](Dim i) {
    measure(b.in[0], i, at.work + thread_index() * 2 * channels_, at.chunks + i * attrs_.groups);
  });
  parallel_for(images_ * attrs_.groups,
               [&](Dim i) { prepare_group(b, at, i / attrs_.groups, i % attrs_.groups); });
  parallel_for(images_ * chunks_, [&](Dim i) {
    const float* const rows = at.channels + i / chunks_ * 3 * channels_;
    normalise_(chunk_of(b.in[0], i), chunk_of(b.out[0], i), pixels_of(i % chunks_), channels_, rows,
               attrs_.silu);
  });
}

}  // namespace

const Kernel kGroupNorm{
    .id = "cpu.group_norm",
    .op = Op::kGroupNorm,
    .needs = {.dtypes = {DType::kF32, DType::kBF16}, .in_place = true, .isa = Isa::kAvx2},
    .prepare = prepare<GroupNorm>,
};

}  // namespace tintype::cpu
#endif
