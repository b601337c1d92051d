#include "support/model_test.h"

#include "backends/cpu/kernels.h"
#include "backends/reference/kernels.h"
#include "graph/executor.h"
#include "support/compare.h"
#include "support/evaluate.h"

namespace tintype::test {

std::vector<ModelRun> model_runs() {
  return {{"reference", reference_backend, DType::kF32},
          {"cpu", cpu_backend, DType::kF32},
          {"cpu_bf16", cpu_backend, DType::kBF16}};
}

std::string label(const testing::TestParamInfo<ModelRun>& run) { return run.param.label; }

NamedArrays ModelTest::run(std::unique_ptr<Graph> graph, const NamedArrays& inputs) const {
  const Plan plan = make_plan(*graph, GetParam().backend(), test_facts(), {});
  Executor executor(plan);
  executor.begin_job(inputs);
  return executor.run(inputs);
}

void ModelTest::expect_close(const Array& got, const Array& want, double exact,
                             double coarse) const {
  EXPECT_LE(relative_l2(got, want), compute() == DType::kF32 ? exact : coarse);
}

}  // namespace tintype::test
