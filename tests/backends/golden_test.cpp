// Linear layers of every format against comfy-kitchen's eager int8 layers and torch's float ones
// (tools/golden/layers.py).
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "formats/arrays.h"
#include "formats/weight_index.h"
#include "graph/ops.h"
#include "sampling/noise.h"
#include "support/model_test.h"
#include "support/test_data.h"

namespace tintype {
namespace {

class LayerTest : public test::ModelTest {
 protected:
  // y of `layer` for the x that was drawn with `seed`.
  Array layer(const Parameter& weight, const std::string& name, uint64_t seed) const {
    auto graph = std::make_unique<Graph>(compute());
    const Array x = cpu_noise(seed, {9, weight.cols()});
    const Tensor in = graph->input("x", x.shape(), DType::kF32, Rate::kStep);
    graph->output("y", linear(cast(in, compute()), {{&weight, 0, weight.rows()}}, {}, name));
    return run(std::move(graph), {{"x", x}}).at("y");
  }
};

TEST_P(LayerTest, EveryFormatAsThePublicReference) {
  const std::string folder = test::golden("formats/");
  const auto scaled = read_weights(folder + "scaled.safetensors"),
             blocks = read_weights(folder + "blocks.gguf");
  const auto golden = File::open(folder + "layers.safetensors");
  const auto seeds = nlohmann::json::parse(*parse_weights(golden)->meta<std::string>("seeds"));
  for (const auto& [name, want] : parse_arrays(*golden)) {
    SCOPED_TRACE(name);
    const Parameter* weight = scaled->find(name + ".weight");
    if (!weight) weight = blocks->find(name + ".weight");
    ASSERT_NE(weight, nullptr);
    const bool codes = weight->format->activation(*weight) != ActivationCodes::kNone;
    expect_close(layer(*weight, name, seeds.at(name)), want, codes ? 1e-4 : 5e-6, 1.5e-2);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, LayerTest, testing::ValuesIn(test::model_runs()), test::label);

}  // namespace
}  // namespace tintype
