// Tests of kernels: one body, run for every kernel of every backend in each activation type.
//
//   class SiluTest : public OpTest {};
//
//   TEST_P(SiluTest, MatchesReference) {
//     for (const Shape& shape : {Shape{1}, Shape{3, 77}}) {
//       OpCase c(act());
//       c.output(silu(c.act(shape)));
//       expect_reference(c, rounding(act(), /*roundings=*/8, /*magnitude=*/5));
//     }
//   }
//
//   INSTANTIATE_OP_TEST(SiluTest, Op::kSilu);
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "graph/ops.h"
#include "support/compare.h"
#include "support/evaluate.h"

namespace tintype::test {

Array random_normal(const Shape& shape, uint64_t seed, float scale = 1);
Array random_indices(const Shape& shape, int32_t limit, uint64_t seed);  // i32 in [0, limit)
Array array(const Shape& shape, std::initializer_list<float> values);

// A graph, the values of its inputs and the memory of its weights. Values are random, the same at
// every run.
class OpCase {
 public:
  explicit OpCase(DType activation) : graph_(activation) {}

  Tensor act(const Shape& shape, float scale = 1);  // normal, in the activation type
  Tensor act_of_job(const Shape& shape);            // the same for all steps of a job
  Tensor f32(const Shape& shape, float scale = 1);  // normal
  Tensor indices(const Shape& shape, int32_t limit);
  Tensor given(const Array& values);  // in its own type
  Tensor given(const Array& values, DType type, Rate rate = Rate::kStep);
  // A weight stored in `format` (formats/formats.h); `rotation` as in Parameter.
  std::vector<RowSlice> weight(const Shape& shape, const Format& format, Dim rotation = 0);
  void output(Tensor value);

  const Graph& graph() const { return graph_; }
  Graph& graph() { return graph_; }
  const NamedArrays& inputs() const { return inputs_; }

 private:
  uint64_t next_seed() { return ++seed_; }

  Graph graph_;
  NamedArrays inputs_;
  std::deque<Parameter> parameters_;
  std::deque<std::vector<std::byte>> bytes_;
  uint64_t seed_ = 0;
};

struct OpParam {
  const Kernel* kernel;
  DType act;
};

// Every kernel for `op` of every backend, in each activation type.
std::vector<OpParam> op_params(Op op);
std::string op_param_name(const testing::TestParamInfo<OpParam>& info);  // "cpu_silu_bf16"

class OpTest : public testing::TestWithParam<OpParam> {
 protected:
  DType act() const { return GetParam().act; }
  const Kernel& kernel() const { return *GetParam().kernel; }

  // Runs the case with the kernel under test, densely, with gaps and in place; all other nodes run
  // on the reference. Expects the same bits from one thread and from more. Cases that the kernel
  // does not take are left out, and a test of which nothing is left is skipped.
  std::vector<NamedArrays> run(const OpCase& c);
  // Compares all of that with the reference backend.
  void expect_reference(const OpCase& c, const Tolerance& tolerance);
  // Compares all of that with the value of the only output.
  void expect_value(const OpCase& c, const Array& want, const Tolerance& tolerance);

  void TearDown() override;

 private:
  bool taken(const OpCase& c) const;
  bool ran_ = false;
};

}  // namespace tintype::test

#define INSTANTIATE_OP_TEST(Suite, op)                                                        \
  INSTANTIATE_TEST_SUITE_P(Kernels, Suite, testing::ValuesIn(::tintype::test::op_params(op)), \
                           ::tintype::test::op_param_name);                                   \
  GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Suite)
