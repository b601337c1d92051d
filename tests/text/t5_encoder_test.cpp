// T5 against transformers' T5EncoderModel.
#include <gtest/gtest.h>

#include "pipeline/components.h"
#include "pipeline/stage.h"
#include "support/golden_model.h"
#include "support/model_test.h"

namespace tintype {
namespace {

using T5EncoderTest = test::ModelTest;

// Every seventh token of hidden [B, L, D], as the golden file keeps them.
Array every_seventh(const Array& hidden, const Shape& kept) {
  Array out(kept);
  const Dim length = hidden.shape()[1], width = kept[2];
  for (Dim b = 0; b < kept[0]; ++b)
    for (Dim i = 0; i < kept[1]; ++i)
      for (Dim c = 0; c < width; ++c)
        out[(b * kept[1] + i) * width + c] = hidden[(b * length + 7 * i) * width + c];
  return out;
}

TEST_P(T5EncoderTest, Hidden) {
  const test::GoldenModel golden = test::golden_model("t5");
  const auto t5 = load_text_encoder(detect(golden.index).at(0), /*strict=*/true);
  const NamedArrays got =
      run(text_graph(*t5.model, compute(), golden.inputs.at("tokens").shape()), golden.inputs);
  const Array& want = golden.outputs.at("hidden");
  expect_close(every_seventh(got.at("hidden"), want.shape()), want, 2e-5, 3e-2);
}

INSTANTIATE_TEST_SUITE_P(Backends, T5EncoderTest, testing::ValuesIn(test::model_runs()),
                         test::label);

}  // namespace
}  // namespace tintype
