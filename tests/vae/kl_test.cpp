// The KL VAE against diffusers' AutoencoderKL.
#include <gtest/gtest.h>

#include "pipeline/components.h"
#include "pipeline/stage.h"
#include "support/golden_model.h"
#include "support/model_test.h"

namespace tintype {
namespace {

class KlVaeTest : public test::ModelTest {
 protected:
  const test::GoldenModel golden_ = test::golden_model("vae");
  const Loaded<Vae> vae_ = load_vae(detect(golden_.index).at(0), /*strict=*/true);
};

TEST_P(KlVaeTest, Decodes) {
  EXPECT_EQ(vae_.model->scale(), 2);
  const Shape latent = golden_.inputs.at("latent").shape();
  const NamedArrays got =
      run(decode_graph(*vae_.model, compute(), latent), {{"latent", golden_.inputs.at("latent")}});
  expect_close(got.at("image"), golden_.outputs.at("image"), 2e-5, 3e-2);
}

TEST_P(KlVaeTest, Encodes) {
  const Shape image = golden_.inputs.at("image").shape();
  const NamedArrays got =
      run(encode_graph(*vae_.model, compute(), image), {{"image", golden_.inputs.at("image")}});
  expect_close(got.at("latent"), golden_.outputs.at("latent"), 2e-5, 6e-2);
}

INSTANTIATE_TEST_SUITE_P(Backends, KlVaeTest, testing::ValuesIn(test::model_runs()), test::label);

}  // namespace
}  // namespace tintype
