// Whole models against diffusers and transformers.
#include <gtest/gtest.h>

#include "backends/cpu/kernels.h"
#include "backends/reference/kernels.h"
#include "pipeline/components.h"
#include "pipeline/stage.h"
#include "support/compare.h"
#include "support/evaluate.h"
#include "support/golden_model.h"

namespace tintype {
namespace {

struct Run {
  const char* label;
  const Backend& (*backend)();
  DType compute;
};

class GoldenTest : public testing::TestWithParam<Run> {
 protected:
  RunSettings settings() const {
    return {&GetParam().backend(), test::test_facts(), GetParam().compute, {}};
  }
  // `exact` is what f32 may be off by, relative L2.
  void expect_close(const Array& got, const Array& want, double exact, double coarse) const {
    EXPECT_LE(test::relative_l2(got, want), GetParam().compute == DType::kF32 ? exact : coarse);
  }

  void run_flux(const std::string& name, double exact) {
    const test::GoldenModel golden = test::golden_model(name);
    const auto found = detect(golden.index);
    ASSERT_EQ(found.size(), 1u);
    const auto flux = load_denoiser(found[0]);
    EXPECT_TRUE(flux.report.unused.empty());
    Stage stage(denoiser_graph(*flux.model, GetParam().compute, golden.inputs.at("x").shape(),
                               golden.inputs.at("context").shape()[1]),
                settings());
    expect_close(stage.run(golden.inputs).at("out"), golden.outputs.at("out"), exact, 4e-2);
  }
};

TEST_P(GoldenTest, FluxWithoutGuidance) { run_flux("flux_schnell", 4e-5); }
TEST_P(GoldenTest, FluxWithGuidance) { run_flux("flux_dev", 3e-4); }

TEST_P(GoldenTest, ClipL) {
  const test::GoldenModel golden = test::golden_model("clip");
  const auto clip = load_text_encoder(detect(golden.index).at(0));
  Stage stage(text_graph(*clip.model, GetParam().compute, golden.inputs.at("tokens").shape()),
              settings());
  const NamedArrays got = stage.run(golden.inputs);
  expect_close(got.at("hidden"), golden.outputs.at("hidden"), 2e-5, 3e-2);
  expect_close(got.at("pooled"), golden.outputs.at("pooled"), 2e-5, 3e-2);
}

TEST_P(GoldenTest, T5) {
  const test::GoldenModel golden = test::golden_model("t5");
  const auto t5 = load_text_encoder(detect(golden.index).at(0));
  Stage stage(text_graph(*t5.model, GetParam().compute, golden.inputs.at("tokens").shape()),
              settings());
  const Array hidden = stage.run(golden.inputs).at("hidden");
  const Array& want = golden.outputs.at("hidden");  // every seventh token
  Array got(want.shape());
  const Dim width = want.shape()[2], kept = want.shape()[1], length = hidden.shape()[1];
  for (Dim b = 0; b < want.shape()[0]; ++b)
    for (Dim i = 0; i < kept; ++i)
      for (Dim c = 0; c < width; ++c)
        got[(b * kept + i) * width + c] = hidden[(b * length + 7 * i) * width + c];
  expect_close(got, want, 2e-5, 3e-2);
}

TEST_P(GoldenTest, KlVae) {
  const test::GoldenModel golden = test::golden_model("vae");
  const auto vae = load_vae(detect(golden.index).at(0));
  EXPECT_TRUE(vae.report.unused.empty());
  EXPECT_EQ(vae.model->scale(), 2);
  Stage decode(decode_graph(*vae.model, GetParam().compute, golden.inputs.at("latent").shape()),
               settings());
  expect_close(decode.run(golden.inputs).at("image"), golden.outputs.at("image"), 2e-5, 3e-2);
  Stage encode(encode_graph(*vae.model, GetParam().compute, golden.inputs.at("image").shape()),
               settings());
  expect_close(encode.run(golden.inputs).at("latent"), golden.outputs.at("latent"), 2e-5, 6e-2);
}

INSTANTIATE_TEST_SUITE_P(Backends, GoldenTest,
                         testing::Values(Run{"reference", reference_backend, DType::kF32},
                                         Run{"cpu", cpu_backend, DType::kF32},
                                         Run{"cpu_bf16", cpu_backend, DType::kBF16}),
                         [](const auto& run) { return std::string(run.param.label); });

}  // namespace
}  // namespace tintype
