// FLUX.1 against diffusers' FluxTransformer2DModel.
#include <gtest/gtest.h>

#include "formats/arrays.h"
#include "nn/weights.h"
#include "pipeline/components.h"
#include "pipeline/stage.h"
#include "support/golden_model.h"
#include "support/memory_file.h"
#include "support/model_test.h"

namespace tintype {
namespace {

class FluxTest : public test::ModelTest {
 protected:
  void expect_golden(const std::shared_ptr<const WeightIndex>& index,
                     const test::GoldenModel& golden, double exact) {
    const auto found = detect(index);
    ASSERT_EQ(found.size(), 1u);
    const auto flux = load_denoiser(found[0], /*strict=*/true);
    const NamedArrays got =
        run(denoiser_graph(*flux.model, compute(), golden.inputs.at("x").shape(),
                           golden.inputs.at("context").shape()[1]),
            golden.inputs);
    expect_close(got.at("out"), golden.outputs.at("out"), exact, 4e-2);
  }
};

TEST_P(FluxTest, WithoutGuidance) {
  const auto golden = test::golden_model("flux_schnell");
  expect_golden(golden.index, golden, 4e-5);
}

TEST_P(FluxTest, WithGuidance) {
  const auto golden = test::golden_model("flux_dev");
  expect_golden(golden.index, golden, 3e-4);
}

// Tensors `module.leaf` of a file in diffusers names, put together as the original has them.
void add_original(NamedArrays& out, Binding& diffusers, const std::string& module) {
  for (const std::string leaf : {"weight", "bias"}) {
    std::vector<float> values;
    for (const RowSlice& s : diffusers.find(module, leaf)) {
      const std::vector<float> all = decode(*s.parameter);
      const auto begin = all.begin() + s.first * s.parameter->cols();
      values.insert(values.end(), begin, begin + s.rows * s.parameter->cols());
    }
    if (values.empty()) continue;
    const bool norm = module.ends_with("_norm");
    out.emplace("model.diffusion_model." + module + (norm ? ".scale" : "." + leaf),
                Array(Weights(diffusers, module).shape(leaf), values));
  }
}

TEST_P(FluxTest, OriginalNamesWithAPrefix) {
  const auto golden = test::golden_model("flux_dev");
  const NameLayout& names = *detect(golden.index).at(0).layout;
  Binding diffusers(golden.index, "flux", "", names);
  NamedArrays original;
  for (const KeyRule& rule : names.rules)
    for (const char* number : {"0", "1"}) {
      std::string module = rule.logical;
      const size_t hole = module.find("{}");
      if (hole != module.npos) module.replace(hole, 2, number);
      add_original(original, diffusers, module);
    }
  expect_golden(parse_weights(test::memory_file(write_arrays(original))), golden, 3e-4);
}

INSTANTIATE_TEST_SUITE_P(Backends, FluxTest, testing::ValuesIn(test::model_runs()), test::label);

}  // namespace
}  // namespace tintype
