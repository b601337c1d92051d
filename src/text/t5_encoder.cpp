// T5 v1.1 encoder (Raffel et al. 2020, Shazeer 2020), transformers' T5EncoderModel.
//
//   tokens [B, L] -> shared -> block: x + o(attention(norm x)), x + wo(gelu(wi_0 n) * wi_1 n) ->
//   norm
//
// No positions but a learned bias per head and distance bucket, made once by block 0; scores are
// not scaled; padding is attended to.
#include <cmath>

#include "base/error.h"
#include "nn/layers.h"
#include "text/encoder.h"
#include "text/tokenizer_choice.h"

namespace tintype {
namespace {

constexpr float kEps = 1e-6f;
constexpr Dim kBuckets = 32;

// Bucket of a key at distance `offset` = key - query: half of the buckets for each side, of these
// the first half exact, the rest logarithmic up to distance 128.
int32_t distance_bucket(Dim offset) {
  constexpr Dim kSide = kBuckets / 2, kExact = kSide / 2;
  const Dim base = offset > 0 ? kSide : 0, distance = std::abs(offset);
  if (distance < kExact) return static_cast<int32_t>(base + distance);
  const float far = std::log(static_cast<float>(distance) / static_cast<float>(kExact)) /
                    std::log(128.0f / static_cast<float>(kExact)) *
                    static_cast<float>(kSide - kExact);
  return static_cast<int32_t>(base + std::min(kSide - 1, kExact + static_cast<Dim>(far)));
}

Array distance_buckets(Dim length) {
  Array out({length, length}, DType::kI32);
  for (Dim q = 0; q < length; ++q)
    for (Dim k = 0; k < length; ++k)
      out.values<int32_t>()[static_cast<size_t>(q * length + k)] = distance_bucket(k - q);
  return out;
}

class Block {
 public:
  Block(const Weights& w, Dim heads)
      : attention_norm_(w.at("layer.0.layer_norm"), kEps),
        q_(w.at("layer.0.SelfAttention.q"), Bias::kNone),
        k_(w.at("layer.0.SelfAttention.k"), Bias::kNone),
        v_(w.at("layer.0.SelfAttention.v"), Bias::kNone),
        o_(w.at("layer.0.SelfAttention.o"), Bias::kNone),
        ffn_norm_(w.at("layer.1.layer_norm"), kEps),
        wi_0_(w.at("layer.1.DenseReluDense.wi_0"), Bias::kNone),
        wi_1_(w.at("layer.1.DenseReluDense.wi_1"), Bias::kNone),
        wo_(w.at("layer.1.DenseReluDense.wo"), Bias::kNone),
        head_(q_.out() / heads) {
    check(head_ > 0 && q_.out() % heads == 0, ErrorCode::kBadFile, w.where(), " has queries of ",
          q_.out(), ", which do not divide into ", heads, " heads");
  }

  Tensor operator()(Tensor x, Tensor bias) const {
    Tensor n = attention_norm_(x);
    x = x + o_(join_heads(attend(split_heads(q_(n), head_), split_heads(k_(n), head_),
                                 split_heads(v_(n), head_), {.scale = 1}, bias)));
    n = ffn_norm_(x);
    return x + wo_(gelu_tanh(wi_0_(n)) * wi_1_(n));
  }

 private:
  RmsNorm attention_norm_;
  Linear q_, k_, v_, o_;
  RmsNorm ffn_norm_;
  Linear wi_0_, wi_1_, wo_;
  Dim head_;
};

// Files keep the table as `shared`, as `encoder.embed_tokens`, or as both.
Embedding token_table(const Weights& w) {
  const Weights shared = w.at("shared");
  return Embedding(shared.has() ? shared : w.at("encoder.embed_tokens"));
}

class T5Encoder final : public TextEncoder {
 public:
  explicit T5Encoder(const Weights& w)
      : tokens_(token_table(w)),
        distance_bias_(w.at("encoder.block.0.layer.0.SelfAttention.relative_attention_bias")),
        final_norm_(w.at("encoder.final_layer_norm"), kEps) {
    w.at("encoder.embed_tokens").has();  // a second copy of the table counts as used
    const std::string bias = "layer.0.SelfAttention.relative_attention_bias";
    check(distance_bias_.rows() == kBuckets, ErrorCode::kBadFile, w.where(), " has a ", bias,
          " of ", distance_bias_.rows(), " rows, needs ", kBuckets);
    check(!w.at("encoder.block", 1).at(bias).has(), ErrorCode::kBadFile, w.where(),
          " has one in every block: this is UMT5, which tintype does not run");
    const int count =
        w.count("encoder.block", {"layer.0.SelfAttention.q", "layer.0.SelfAttention.o"});
    for (int i = 0; i < count; ++i)
      blocks_.emplace_back(w.at("encoder.block", i), distance_bias_.width());
  }

  Dim width() const override { return tokens_.width(); }
  Dim rows() const override { return tokens_.rows(); }
  Dim max_length() const override { return 0; }

  Encoded forward(Tensor tokens) const override {
    const Tensor buckets = tokens.graph().constant(distance_buckets(tokens.dim(1)));
    const Tensor bias = permute(distance_bias_(buckets), {2, 0, 1});  // [H, L, L]
    Tensor x = tokens_(tokens);
    for (const Block& block : blocks_) x = block(x, bias);
    return {final_norm_(x), {}};
  }

 private:
  Embedding tokens_, distance_bias_;
  std::vector<Block> blocks_;
  RmsNorm final_norm_;
};

const std::vector<KeyRule> kGgufNames{
    {"shared", {{"token_embd"}}},
    {"encoder.final_layer_norm", {{"enc.output_norm"}}},
    {"encoder.block.{}.layer.0.layer_norm", {{"enc.blk.{}.attn_norm"}}},
    {"encoder.block.{}.layer.0.SelfAttention.q", {{"enc.blk.{}.attn_q"}}},
    {"encoder.block.{}.layer.0.SelfAttention.k", {{"enc.blk.{}.attn_k"}}},
    {"encoder.block.{}.layer.0.SelfAttention.v", {{"enc.blk.{}.attn_v"}}},
    {"encoder.block.{}.layer.0.SelfAttention.o", {{"enc.blk.{}.attn_o"}}},
    {"encoder.block.{}.layer.0.SelfAttention.relative_attention_bias", {{"enc.blk.{}.attn_rel_b"}}},
    {"encoder.block.{}.layer.1.layer_norm", {{"enc.blk.{}.ffn_norm"}}},
    {"encoder.block.{}.layer.1.DenseReluDense.wi_0", {{"enc.blk.{}.ffn_gate"}}},
    {"encoder.block.{}.layer.1.DenseReluDense.wi_1", {{"enc.blk.{}.ffn_up"}}},
    {"encoder.block.{}.layer.1.DenseReluDense.wo", {{"enc.blk.{}.ffn_down"}}},
};

}  // namespace

const TextFamily kT5Xxl{
    .name = "t5xxl",
    .layouts = {{.name = "hugging face",
                 .needs = {"encoder.block.0.layer.0.SelfAttention.q.weight",
                           "encoder.block.0.layer.1.DenseReluDense.wi_1.weight"},
                 .rules = {},
                 .ignored = {"decoder.", "lm_head."}},
                {.name = "gguf",
                 .needs = {"enc.blk.0.attn_q.weight", "token_embd.weight"},
                 .rules = kGgufNames,
                 .ignored = {"dec.", "output."}}},
    .option = "--t5",
    .prefixes = {"text_encoders.t5xxl.transformer.", "text_encoders.t5xxl.", "text_encoder_2."},
    .build = [](const Weights& w) -> std::unique_ptr<TextEncoder> {
      return std::make_unique<T5Encoder>(w);
    },
    .tokenizer = choose_t5_tokenizer,
};

}  // namespace tintype
