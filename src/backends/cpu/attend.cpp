// Attention on the CPU: out = softmax(scale * q k^T + bias) v, one head at a time.
//
// The keys and values of a few heads are packed for oneDNN, then blocks of queries meet blocks of
// keys, whose scores stay in the cache (attend_rows.h). Memory grows with the tokens alone.
#include <algorithm>
#include <cstring>
#include <limits>

#include "backends/cpu/attend_rows.h"
#include "backends/cpu/kernel_list.h"
#include "backends/cpu/onednn.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/rounding.h"

namespace tintype::cpu {
namespace {

constexpr Dim kQueryBlock = 128;     // rows that the products need to run at full speed
constexpr Dim kKeyBlock = 1152;      // 128 rows of scores and as many packed keys and values fit L2
constexpr Dim kKeyMultiple = 32;     // what AMX multiplies at once, and whole registers of scores
constexpr Dim kBlocksPerThread = 8;  // between two barriers, where there are enough heads

// [0, total) in parts of `size`, of which the last may be shorter.
struct Blocks {
  Blocks(Dim all, Dim at_most, Dim multiple)
      : total(all),
        size(round_up(divide_up(all, divide_up(all, at_most)), multiple)),
        count(divide_up(all, size)) {}

  Dim first(Dim i) const { return i * size; }
  Dim length(Dim i) const { return std::min(size, total - i * size); }

  Dim total, size, count;
};

// Rows [first, first + count) of one head of x [B, L, H, D] as a matrix; heads are counted through
// the batch.
View head_rows(const View& x, Dim head, Dim first, Dim count) {
  const Dim at =
      head / x.dim(2) * x.stride(0) + head % x.dim(2) * x.stride(2) + first * x.stride(1);
  View rows{x.data + at * static_cast<Dim>(size_of(x.dtype)), x.dtype, {{count, x.dim(3)}, {}}};
  rows.layout.strides[0] = x.stride(1);
  rows.layout.strides[1] = 1;
  return rows;
}

// The same rows without gaps, as f32 or as they are, and zeros up to `all_rows`.
void copy_rows(const View& from, DType type, Dim all_rows, std::byte* to) {
  const Dim rows = from.dim(0), cols = from.dim(1);
  const size_t row_bytes = static_cast<size_t>(cols) * size_of(type);
  for (Dim r = 0; r < rows; ++r, to += row_bytes) {
    const std::byte* row = from.data + r * from.stride(0) * static_cast<Dim>(size_of(from.dtype));
    if (from.dtype == type) {
      std::memcpy(to, row, row_bytes);
    } else {
      const auto* halves = reinterpret_cast<const BF16*>(row);
      std::transform(halves, halves + cols, reinterpret_cast<float*>(to),
                     [](BF16 x) { return static_cast<float>(x); });
    }
  }
  std::memset(to, 0, static_cast<size_t>(all_rows - rows) * row_bytes);
}

// Where a thread works: offsets from the start of its part of the scratch. While keys and values
// are packed, `scores` holds a copy of them.
struct Places {
  size_t queries, scores, sums, top, total, product;
  size_t end;
};

class Attend final : public Prepared {
 public:
  Attend(const NodeView& node, const DeviceFacts& facts);

  size_t scratch_bytes() const override {
    return static_cast<size_t>(group_) * head_bytes_ + static_cast<size_t>(threads_) * places_.end;
  }
  void run(const Buffers& b) const noexcept override;

 private:
  std::byte* packed_keys(const Buffers& b, Dim slot, Dim block) const {
    return b.scratch + static_cast<size_t>(slot) * head_bytes_ +
           static_cast<size_t>(block) * (keys_bytes_ + values_bytes_);
  }
  std::byte* packed_values(const Buffers& b, Dim slot, Dim block) const {
    return packed_keys(b, slot, block) + keys_bytes_;
  }
  std::byte* workspace(const Buffers& b) const {
    return b.scratch + static_cast<size_t>(group_) * head_bytes_ +
           static_cast<size_t>(thread_index()) * places_.end;
  }
  void pack(const Buffers& b, Dim head, Dim slot, Dim block) const;
  void attend(const Buffers& b, Dim head, Dim slot, Dim block) const;

  const AttendAttrs attrs_;
  const DType type_;  // of the products
  const AttendRows rows_;
  const int threads_;
  const Dim heads_, dim_;
  const Blocks queries_, keys_;
  const Dim group_;  // heads between two barriers
  const MatMul scores_, values_;
  const size_t keys_bytes_, values_bytes_;  // of one packed block
  const size_t head_bytes_;
  const Places places_;
};

MatMulSpec scores_spec(const Blocks& queries, const Blocks& keys, Dim dim, DType type) {
  return {.m = queries.size,
          .n = keys.size,
          .k = dim,
          .type = type,
          .b = Factor::kPacked,
          .unpacked = Factor::kRows,
          .one_thread = true};
}

MatMulSpec values_spec(const Blocks& queries, const Blocks& keys, Dim dim, DType type) {
  return {.m = queries.size,
          .n = dim,
          .k = keys.size,
          .type = type,
          .b = Factor::kPacked,
          .unpacked = Factor::kColumns,
          .accumulate = true,
          .one_thread = true};
}

Dim heads_at_once(Dim heads, Dim query_blocks, int threads) {
  return std::min(heads, threads * divide_up(kBlocksPerThread, query_blocks));
}

Places places_for(Dim queries, Dim keys, Dim dim, DType type, size_t product_bytes) {
  Places p{};
  const auto take = [&](Dim elements, size_t bytes) {
    const size_t at = p.end;
    p.end += round_up(static_cast<size_t>(elements) * bytes, kScratchAlignment);
    return at;
  };
  p.queries = take(queries * dim, size_of(type));
  p.scores = take(keys * std::max(queries, dim), sizeof(float));
  p.sums = take(queries * dim, sizeof(float));
  p.top = take(queries, sizeof(float));
  p.total = take(queries, sizeof(float));
  p.product = take(static_cast<Dim>(product_bytes), 1);
  return p;
}

Attend::Attend(const NodeView& node, const DeviceFacts& facts)
    : attrs_(node.node.attr<AttendAttrs>()),
      type_(multiplies_bf16(facts) ? node.in_dtype(0) : DType::kF32),
      rows_(attend_rows(facts.isa)),
      threads_(facts.threads),
      heads_(node.in[0].shape[0] * node.in[0].shape[2]),
      dim_(node.in[0].shape[3]),
      queries_(node.in[0].shape[1], kQueryBlock, 1),
      keys_(node.in[1].shape[1], kKeyBlock, kKeyMultiple),
      group_(heads_at_once(heads_, queries_.count, threads_)),
      scores_(scores_spec(queries_, keys_, dim_, type_)),
      values_(values_spec(queries_, keys_, dim_, type_)),
      keys_bytes_(round_up(scores_.packed_bytes(), kScratchAlignment)),
      values_bytes_(round_up(values_.packed_bytes(), kScratchAlignment)),
      head_bytes_(static_cast<size_t>(keys_.count) * (keys_bytes_ + values_bytes_)),
      places_(places_for(queries_.size, keys_.size, dim_, type_,
                         std::max(scores_.scratch_bytes(), values_.scratch_bytes()))) {}

void Attend::pack(const Buffers& b, Dim head, Dim slot, Dim block) const {
  std::byte* const work = workspace(b);
  std::byte* const copy = work + places_.scores;
  const Dim first = keys_.first(block), count = keys_.length(block);

  copy_rows(head_rows(b.in[1], head, first, count), type_, keys_.size, copy);
  scores_.pack(copy, packed_keys(b, slot, block), work + places_.product);
  copy_rows(head_rows(b.in[2], head, first, count), type_, keys_.size, copy);
  values_.pack(copy, packed_values(b, slot, block), work + places_.product);
}

// The bias [H, S, T] of one head from the given query and key on.
View bias_rows(const View& bias, Dim head, Dim query, Dim key) {
  const Dim at = head % bias.dim(0) * bias.stride(0) + query * bias.stride(1) + key;
  View rows{bias.data + at * static_cast<Dim>(size_of(bias.dtype)), bias.dtype, {}};
  rows.layout.shape = {bias.dim(1) - query, bias.dim(2) - key};
  rows.layout.strides = {bias.stride(1), 1};
  return rows;
}

void Attend::attend(const Buffers& b, Dim head, Dim slot, Dim block) const {
  std::byte* const work = workspace(b);
  ScoreBlock s{.queries = queries_.length(block),
               .first_query = queries_.first(block),
               .width = keys_.size,
               .dim = dim_,
               .causal = attrs_.causal,
               .scale = attrs_.scale,
               .type = type_,
               .scores = work + places_.scores,
               .sums = reinterpret_cast<float*>(work + places_.sums),
               .top = reinterpret_cast<float*>(work + places_.top),
               .total = reinterpret_cast<float*>(work + places_.total)};
  copy_rows(head_rows(b.in[0], head, s.first_query, s.queries), type_, queries_.size,
            work + places_.queries);
  std::fill_n(s.sums, queries_.size * dim_, 0.0f);
  std::fill_n(s.top, s.queries, -std::numeric_limits<float>::infinity());
  std::fill_n(s.total, s.queries, 0.0f);

  const Dim seen = attrs_.causal ? std::min(keys_.total, s.first_query + s.queries) : keys_.total;
  for (Dim i = 0; keys_.first(i) < seen; ++i) {
    s.first_key = keys_.first(i);
    s.keys = keys_.length(i);
    if (b.in.size() > 3) s.bias = bias_rows(b.in[3], head, s.first_query, s.first_key);
    scores_.run(work + places_.queries, packed_keys(b, slot, i), s.scores, work + places_.product);
    rows_.weigh(s);
    values_.run(s.scores, packed_values(b, slot, i), s.sums, work + places_.product);
  }
  rows_.finish(s, head_rows(b.out[0], head, s.first_query, s.queries));
}

void Attend::run(const Buffers& b) const noexcept {
  TINTYPE_ASSERT(threads() <= threads_);
  for (Dim first = 0; first < heads_; first += group_) {
    const Dim heads = std::min(group_, heads_ - first);
    parallel_for(heads * keys_.count, [&](Dim i) {
      if (b.cancelled()) return;
      pack(b, first + i / keys_.count, i / keys_.count, i % keys_.count);
    });
    parallel_for(heads * queries_.count, [&](Dim i) {
      if (b.cancelled()) return;
      attend(b, first + i / queries_.count, i / queries_.count, i % queries_.count);
    });
  }
}

}  // namespace

const Kernel kAttend{.id = "cpu.attend",
                     .op = Op::kAttend,
                     .needs = {.dtypes = {DType::kF32, DType::kBF16},
                               .in = Access::kRows,
                               .out = Access::kRows,
                               .isa = Isa::kAvx2},
                     .prepare = prepare<Attend>};

}  // namespace tintype::cpu
