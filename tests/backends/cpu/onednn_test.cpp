// The door to oneDNN.
#include "backends/cpu/onednn.h"

#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/evaluate.h"

namespace tintype::cpu {
namespace {

// Before any test makes a primitive.
class LimitOneDnn : public testing::Environment {
 public:
  void SetUp() override { limit_onednn(test::test_facts()); }
};
const auto* const kLimit = testing::AddGlobalTestEnvironment(new LimitOneDnn);

TEST(OneDnn, MultipliesPackedFactorsAndAccumulates) {
  // [2, 3] x [3, 2]
  const std::vector<float> a{1, 2, 3, 4, 5, 6}, rows{1, 0, 2, 0, 1, 1};
  std::vector<float> out{100, 100, 100, 100};
  const MatMul product(
      {.m = 2, .n = 2, .k = 3, .b = Factor::kPacked, .accumulate = true, .one_thread = true});
  std::vector<std::byte> packed(product.packed_bytes() + 64), scratch(product.scratch_bytes() + 64);
  product.pack(rows.data(), packed.data(), scratch.data());
  product.run(a.data(), packed.data(), out.data(), scratch.data());
  EXPECT_EQ(out, (std::vector<float>{107, 105, 116, 111}));
}

TEST(OneDnn, ReadsStridedColumns) {
  const std::vector<float> a{1, 2, 9, 3, 4, 9}, columns{1, 2, 9, 9, 3, 4};
  std::vector<float> out{7, 7, 7, 7, 7, 7};
  const MatMul product({.m = 2,
                        .n = 2,
                        .k = 2,
                        .b = Factor::kColumns,
                        .a_stride = 3,
                        .b_stride = 4,
                        .out_stride = 4});
  std::vector<std::byte> scratch(product.scratch_bytes() + 64);
  product.run(a.data(), columns.data(), out.data(), scratch.data());
  EXPECT_EQ(out, (std::vector<float>{7, 10, 7, 7, 15, 22}));
}

TEST(OneDnn, SaysThatALimitComesTooLate) {
  DeviceFacts facts = test::test_facts();
  EXPECT_NO_THROW(limit_onednn(facts));
  if (facts.isa != Isa::kAvx512) GTEST_SKIP() << "this machine has nothing to hide";
  const MatMul product({.m = 1, .n = 1, .k = 1});
  EXPECT_THROW(limit_onednn({.isa = Isa::kAvx2}), Error);
}

}  // namespace
}  // namespace tintype::cpu
