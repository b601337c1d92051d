// CLIP-L against transformers' CLIPTextModel.
#include <gtest/gtest.h>

#include "pipeline/components.h"
#include "pipeline/stage.h"
#include "support/golden_model.h"
#include "support/model_test.h"

namespace tintype {
namespace {

using ClipEncoderTest = test::ModelTest;

TEST_P(ClipEncoderTest, HiddenAndPooled) {
  const test::GoldenModel golden = test::golden_model("clip");
  const auto clip = load_text_encoder(detect(golden.index).at(0), /*strict=*/true);
  const NamedArrays got =
      run(text_graph(*clip.model, compute(), golden.inputs.at("tokens").shape()), golden.inputs);
  expect_close(got.at("hidden"), golden.outputs.at("hidden"), 2e-5, 3e-2);
  expect_close(got.at("pooled"), golden.outputs.at("pooled"), 2e-5, 3e-2);
}

INSTANTIATE_TEST_SUITE_P(Backends, ClipEncoderTest, testing::ValuesIn(test::model_runs()),
                         test::label);

}  // namespace
}  // namespace tintype
