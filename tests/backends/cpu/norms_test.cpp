// The precision that norms and rotations promise, and that threads do not change a bit.
#include <algorithm>

#include "backends/cpu/kernels.h"
#include "backends/reference/kernels.h"
#include "base/parallel.h"
#include "support/op_test.h"

namespace tintype::test {
namespace {

class CpuNormsTest : public testing::TestWithParam<DType> {
 protected:
  CpuNormsTest() : c(GetParam()) {
    const Tensor x = c.act({1, 50, 3072}), heads = c.act({2, 33, 6, 128});
    const Tensor far = 30.0f + c.act({1, 70, 60, 128});
    c.output(layer_norm(x, 1e-6f, c.act({1, 1, 3072}), c.act({1, 1, 3072})));
    c.output(rms_norm(heads, c.f32({128}), 1e-6f));
    c.output(rope(heads, c.f32({33, 64, 2})));
    c.output(group_norm(far, c.f32({128}), c.f32({128}), 32, 1e-6f));
    c.output(group_norm(c.act({2, 31, 7, 48}), c.f32({48}), c.f32({48}), 3, 1e-6f));
  }

  NamedArrays run(int thread_count) {
    const int before = threads();
    set_threads(thread_count);
    NamedArrays out = evaluate(c.graph(), c.inputs(), cpu_backend(), test_facts());
    set_threads(before);
    return out;
  }

  OpCase c;
};

TEST_P(CpuNormsTest, AgreeWithDouble) {
  const double allowed = GetParam() == DType::kBF16 ? 0x1p-8 : 1e-6;
  const NamedArrays got = run(2);
  for (const auto& [name, want] : evaluate(c.graph(), c.inputs(), reference_backend(), {}))
    EXPECT_LE(relative_l2(got.at(name), want), allowed) << name;
}

TEST_P(CpuNormsTest, SameBytesForAnyNumberOfThreads) {
  const NamedArrays one = run(1);
  for (int count : {2, 3})
    for (const auto& [name, got] : run(count))
      EXPECT_TRUE(std::ranges::equal(got.bytes(), one.at(name).bytes()))
          << name << ", " << count << " threads";
}

INSTANTIATE_TEST_SUITE_P(Types, CpuNormsTest, testing::Values(DType::kF32, DType::kBF16),
                         [](const auto& type) { return std::string(name(type.param)); });

}  // namespace
}  // namespace tintype::test
