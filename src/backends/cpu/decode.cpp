#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/decode.cpp"
#include "backends/cpu/simd.h"
// After simd.h: these have a part for each instruction set.
#include "backends/cpu/decode.h"
#include "backends/cpu/rotate.h"
#include "backends/cpu/stored_values.h"
#include "formats/blocks.h"
#include "formats/formats.h"

HWY_BEFORE_NAMESPACE();
namespace tintype::cpu::HWY_NAMESPACE {

HWY_INLINE FloatVec to_float(hn::Vec<Words> codes) {
  return hn::ConvertTo(Floats(), hn::BitCast(Ints(), codes));
}

template <class Stored, class T>
void decode_values(const StoredRows& rows, Dim row, T* out, float*) {
  const auto* in = reinterpret_cast<const Stored*>(rows.row(row));
  const FloatVec scale = hn::Set(Floats(), rows.scale(row));
  Dim i = 0;
  for (; i + kLanes <= rows.cols; i += kLanes) store(hn::Mul(load(in + i), scale), out + i);
  const Dim rest = rows.cols - i;
  if (rest > 0) store_n(hn::Mul(load_n(in + i, rest), scale), out + i, rest);
}

template <class T>
void copy_row(const float* in, T* out, Dim n) {
  Dim i = 0;
  for (; i + kLanes <= n; i += kLanes) store(load(in + i), out + i);
  if (i < n) store_n(load_n(in + i, n - i), out + i, n - i);
}

// Where f32 values are made before they become T.
HWY_INLINE float* floats_for(float* out, float*) { return out; }
HWY_INLINE float* floats_for(BF16*, float* spare) { return spare; }

template <class T>
void decode_rotated(const StoredRows& rows, Dim row, T* out, float* spare) {
  float* values = floats_for(out, spare);
  decode_values<Int8>(rows, row, values, spare);
  rotate(values, rows.cols, rows.parameter->rotation, values);
  if constexpr (sizeof(T) != sizeof(float)) copy_row(values, out, rows.cols);
}

// Any format, by its own plain loops.
template <class T>
void decode_plainly(const StoredRows& rows, Dim row, T* out, float* spare) {
  float* values = floats_for(out, spare);
  rows.parameter->format->decode_rows(*rows.parameter, rows.first + row, 1, values);
  if constexpr (sizeof(T) != sizeof(float)) copy_row(values, out, rows.cols);
}

template <class Block, Dim kValues, class T, void (*kDecode)(const Block&, T*)>
void decode_blocks(const StoredRows& rows, Dim row, T* out, float*) {
  const auto* block = reinterpret_cast<const Block*>(rows.row(row));
  for (Dim i = 0; i < rows.cols; i += kValues) kDecode(*block++, out + i);
}

template <class T>
void q4_0(const BlockQ4_0& b, T* out) {
  const FloatVec d = hn::Set(Floats(), half_to_float(b.d)), eight = hn::Set(Floats(), 8.0f);
  for (Dim j = 0; j < 16; j += kLanes) {
    const auto bytes = load_bytes(b.qs + j);
    const FloatVec low = to_float(hn::And(bytes, hn::Set(Words(), 15u)));
    const FloatVec high = to_float(hn::ShiftRight<4>(bytes));
    store(hn::Mul(d, hn::Sub(low, eight)), out + j);
    store(hn::Mul(d, hn::Sub(high, eight)), out + 16 + j);
  }
}

template <class T>
void q8_0(const BlockQ8_0& b, T* out) {
  const FloatVec d = hn::Set(Floats(), half_to_float(b.d));
  for (Dim j = 0; j < 32; j += kLanes)
    store(hn::Mul(d, load(reinterpret_cast<const Int8*>(b.qs) + j)), out + j);
}

// Scale and offset of one group of a Q4_K or Q5_K block.
struct Line {
  FloatVec step, offset;

  template <class Block>
  HWY_INLINE static Line of(const Block& b, float d, float dmin, int group) {
    const ScaleMin s = scale_min(b.scales, group);
    return {hn::Set(Floats(), d * static_cast<float>(s.scale)),
            hn::Set(Floats(), dmin * static_cast<float>(s.min))};
  }
  HWY_INLINE FloatVec at(hn::Vec<Words> codes) const {
    return hn::Sub(hn::Mul(step, to_float(codes)), offset);
  }
};

template <class T>
void q4_k(const BlockQ4_K& b, T* out) {
  const float d = half_to_float(b.d), dmin = half_to_float(b.dmin);
  for (int pair = 0; pair < 4; ++pair, out += 64) {
    const Line even = Line::of(b, d, dmin, 2 * pair), odd = Line::of(b, d, dmin, 2 * pair + 1);
    for (Dim l = 0; l < 32; l += kLanes) {
      const auto bytes = load_bytes(b.qs + 32 * pair + l);
      store(even.at(hn::And(bytes, hn::Set(Words(), 15u))), out + l);
      store(odd.at(hn::ShiftRight<4>(bytes)), out + 32 + l);
    }
  }
}

template <class T>
void q5_k(const BlockQ5_K& b, T* out) {
  const float d = half_to_float(b.d), dmin = half_to_float(b.dmin);
  const auto sixteen = hn::Set(Words(), 16u);
  for (int pair = 0; pair < 4; ++pair, out += 64) {
    const Line even = Line::of(b, d, dmin, 2 * pair), odd = Line::of(b, d, dmin, 2 * pair + 1);
    for (Dim l = 0; l < 32; l += kLanes) {
      const auto bytes = load_bytes(b.qs + 32 * pair + l);
      // Bit 2 * pair to where 16 is; the next one follows.
      const auto high = hn::ShiftRightSame(hn::ShiftLeft<4>(load_bytes(b.qh + l)), 2 * pair);
      const auto low_bits = hn::And(bytes, hn::Set(Words(), 15u));
      store(even.at(hn::Or(low_bits, hn::And(high, sixteen))), out + l);
      store(odd.at(hn::Or(hn::ShiftRight<4>(bytes), hn::And(hn::ShiftRight<1>(high), sixteen))),
            out + 32 + l);
    }
  }
}

template <class T>
void q6_k(const BlockQ6_K& b, T* out) {
  const float d = half_to_float(b.d);
  const auto low4 = hn::Set(Words(), 15u), bits45 = hn::Set(Words(), 0x30u);
  const FloatVec middle = hn::Set(Floats(), 32.0f);
  for (int half = 0; half < 2; ++half, out += 128) {
    const int8_t* scales = b.scales + 8 * half;
    for (Dim l = 0; l < 32; l += kLanes) {
      const auto first = load_bytes(b.ql + 64 * half + l);
      const auto second = load_bytes(b.ql + 64 * half + 32 + l);
      const auto high = load_bytes(b.qh + 32 * half + l);
      const auto put = [&](int quarter, hn::Vec<Words> low, hn::Vec<Words> top) HWY_ATTR {
        const Dim group = 2 * quarter + l / 16;  // of 16 columns with one scale
        const float step = d * static_cast<float>(scales[group]);
        const FloatVec q = to_float(hn::Or(low, hn::And(top, bits45)));
        store(hn::Mul(hn::Set(Floats(), step), hn::Sub(q, middle)), out + 32 * quarter + l);
      };
      put(0, hn::And(first, low4), hn::ShiftLeft<4>(high));
      put(1, hn::And(second, low4), hn::ShiftLeft<2>(high));
      put(2, hn::ShiftRight<4>(first), high);
      put(3, hn::ShiftRight<4>(second), hn::ShiftRight<2>(high));
    }
  }
}

template <class T>
struct Decoder {
  const Format* format;
  DecodeRow<T> decode;
};

// The decoder for rows of `p` that hold whole blocks.
template <class T>
DecodeRow<T> find_decoder(const Parameter& p) {
  static const Decoder<T> decoders[] = {
      {&kF32, decode_values<float, T>},
      {&kF16, decode_values<Half, T>},
      {&kBF16, decode_values<BF16, T>},
      {&kFp8E4M3, decode_values<E4M3, T>},
      {&kFp8E5M2, decode_values<E5M2, T>},
      {&kInt8, decode_values<Int8, T>},
      {&kQ4_0, decode_blocks<BlockQ4_0, 32, T, q4_0<T>>},
      {&kQ8_0, decode_blocks<BlockQ8_0, 32, T, q8_0<T>>},
      {&kQ4_K, decode_blocks<BlockQ4_K, 256, T, q4_k<T>>},
      {&kQ5_K, decode_blocks<BlockQ5_K, 256, T, q5_k<T>>},
      {&kQ6_K, decode_blocks<BlockQ6_K, 256, T, q6_k<T>>},
  };
  for (const Decoder<T>& known : decoders)
    if (known.format == p.format) return known.decode;
  return decode_plainly<T>;
}

template <class T>
DecodeRow<T> choose_decoder(const StoredRows& rows) {
  const Parameter& p = *rows.parameter;
  if (rows.row_bytes == 0) return decode_plainly<T>;
  if (p.rotation == 0) return find_decoder<T>(p);
  return p.format == &kInt8 && p.shape.rank() == 2 ? decode_rotated<T> : decode_plainly<T>;
}

}  // namespace tintype::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tintype::cpu {
namespace {

// 0 if rows don't begin where bytes or blocks do, or if nothing is known about the format.
size_t bytes_of_row(const Parameter& p) {
  if (const auto* blocks = dynamic_cast<const BlockFormat*>(p.format)) {
    const BlockCodec& codec = blocks->codec();
    if (p.cols() % codec.values != 0) return 0;
    return static_cast<size_t>(p.cols() / codec.values) * codec.bytes;
  }
  const bool bytes = p.format == &kInt8 || p.format == &kFp8E4M3 || p.format == &kFp8E5M2;
  return bytes ? static_cast<size_t>(p.cols()) : 0;
}

}  // namespace

StoredRows stored_rows(const RowSlice& slice) {
  const Parameter& p = *slice.parameter;
  StoredRows rows{.parameter = &p, .first = slice.first, .cols = p.cols()};
  rows.row_bytes = bytes_of_row(p);
  rows.bytes = p.parts[0].bytes.data() + static_cast<size_t>(slice.first) * rows.row_bytes;
  if (p.format == &kInt8) {
    const Int8View view = int8_view(p);
    rows.scales = view.scales + (view.per_row ? slice.first : 0);
    rows.scale_per_row = view.per_row;
  } else if (p.format == &kFp8E4M3 || p.format == &kFp8E5M2) {
    const Fp8View view = fp8_view(p);
    rows.scales = view.scales == nullptr ? nullptr : view.scales + (view.per_row ? slice.first : 0);
    rows.scale_per_row = view.per_row;
  }
  return rows;
}

RowDecoder::RowDecoder(const RowSlice& slice, Isa isa)
    : rows_(stored_rows(slice)),
      f32_(TINTYPE_FOR_ISA(isa, choose_decoder<float>)(rows_)),
      bf16_(TINTYPE_FOR_ISA(isa, choose_decoder<BF16>)(rows_)) {}

}  // namespace tintype::cpu
#endif
