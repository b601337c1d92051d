// Whole models against tests/golden/models, on every backend: one body, run for each of
// model_runs().
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "graph/graph.h"
#include "graph/kernel.h"

namespace tintype::test {

struct ModelRun {
  const char* label;
  const Backend& (*backend)();
  DType compute;
};
std::vector<ModelRun> model_runs();  // reference, cpu in f32, cpu in bf16
std::string label(const testing::TestParamInfo<ModelRun>& run);

class ModelTest : public testing::TestWithParam<ModelRun> {
 protected:
  DType compute() const { return GetParam().compute; }
  NamedArrays run(std::unique_ptr<Graph> graph, const NamedArrays& inputs) const;
  // `exact` and `coarse` are what f32 and bf16 may be off by, relative L2.
  void expect_close(const Array& got, const Array& want, double exact, double coarse) const;
};

}  // namespace tintype::test
