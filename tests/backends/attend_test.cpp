#include <cmath>

#include "support/op_test.h"

namespace tintype::test {
namespace {

struct Sizes {
  Dim batch, queries, keys, heads, head;
};

class AttendTest : public OpTest {
 protected:
  enum class Bias { kNone, kF32, kAct };

  void check(const Sizes& s, bool causal, Bias bias, float spread = 1) {
    SCOPED_TRACE(testing::Message() << s.batch << 'x' << s.queries << 'x' << s.keys << 'x'
                                    << s.heads << 'x' << s.head);
    OpCase c(act());
    const Tensor q = c.act({s.batch, s.queries, s.heads, s.head}, spread);
    const Tensor k = c.act({s.batch, s.keys, s.heads, s.head}, spread);
    const Tensor v = c.act({s.batch, s.keys, s.heads, s.head});
    const Shape scores{s.heads, s.queries, s.keys};
    const Tensor b = bias == Bias::kNone  ? Tensor()
                     : bias == Bias::kF32 ? c.f32(scores)
                                          : c.act(scores);
    const float scale = 1 / std::sqrt(static_cast<float>(s.head));
    c.output(attend(q, k, v, {.scale = scale, .causal = causal}, b));
    expect_reference(c, attention_rounding(s, spread));
  }

  // Weights are exponentials of scores, so that an error of the scores is a relative error of the
  // weights; scores stay below five times their deviation, spread^2. In bf16 queries, keys and
  // values are exact and weights may be rounded before they meet the values.
  Tolerance attention_rounding(const Sizes& s, float spread) const {
    const double terms = std::sqrt(static_cast<double>(s.head));
    const double scores = 4 * terms * 0x1p-24 * 5 * spread * spread;
    const double sums = 4 * std::sqrt(static_cast<double>(s.keys)) * 0x1p-24;
    const double stored = act() == DType::kBF16 ? 0x1p-7 : 0x1p-23;
    return {.absolute = std::numeric_limits<double>::infinity(), .l2 = stored + scores + sums};
  }
};

TEST_P(AttendTest, Shapes) {
  for (const Sizes& s :
       {Sizes{1, 1, 1, 1, 1}, Sizes{1, 3, 5, 2, 8}, Sizes{2, 77, 77, 3, 64},
        Sizes{1, 130, 70, 2, 40}, Sizes{1, 65, 300, 1, 128}, Sizes{1, 16, 16, 1, 512}})
    check(s, false, Bias::kNone);
}

TEST_P(AttendTest, Causal) {
  for (const Sizes& s : {Sizes{1, 1, 1, 1, 8}, Sizes{2, 77, 77, 3, 64}, Sizes{1, 130, 130, 1, 32}})
    check(s, true, Bias::kNone);
}

TEST_P(AttendTest, Bias) {
  for (Bias bias : {Bias::kF32, Bias::kAct})
    for (const Sizes& s : {Sizes{1, 3, 5, 2, 8}, Sizes{2, 40, 70, 3, 64}}) {
      check(s, false, bias);
      check(s, true, bias);
    }
}

TEST_P(AttendTest, LargeScoresDoNotOverflow) { check({1, 20, 90, 2, 64}, false, Bias::kNone, 12); }

TEST_P(AttendTest, PartsOfAFusedProduct) {
  OpCase c(act());
  const Tensor qkv = c.act({1, 33, 3 * 2 * 16});
  const auto [q, k, v] = chunk<3>(qkv, 2);
  const Shape heads{1, 33, 2, 16};
  c.output(attend(reshape(q, heads), reshape(k, heads), reshape(v, heads), {.scale = 0.25f}));
  expect_reference(c, attention_rounding({1, 33, 33, 2, 16}, 1));
}

// Equal keys: every query gets the mean of the values that it sees.
TEST_P(AttendTest, HasKnownValues) {
  OpCase c(act());
  const Tensor q = c.act({1, 2, 1, 2}), k = c.given(Array({1, 2, 1, 2}), act());
  const Tensor v = c.given(array({1, 2, 1, 2}, {1, 2, 3, 6}), act());
  c.output(attend(q, k, v, {.causal = true}));
  expect_value(c, array({1, 2, 1, 2}, {1, 2, 2, 4}), rounding(act(), 4, 6));
}

INSTANTIATE_OP_TEST(AttendTest, Op::kAttend);

}  // namespace
}  // namespace tintype::test
