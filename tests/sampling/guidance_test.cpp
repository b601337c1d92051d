#include "sampling/guidance.h"

#include <gtest/gtest.h>

namespace tintype {
namespace {

Array array(std::initializer_list<float> values) {
  return Array({static_cast<Dim>(values.size())}, std::vector<float>(values));
}

void expect_equal(const Array& a, std::initializer_list<float> values) {
  const Array b = array(values);
  ASSERT_EQ(a.shape(), b.shape());
  for (Dim i = 0; i < a.elements(); ++i) EXPECT_FLOAT_EQ(a[i], b[i]);
}

TEST(Guide, GoesFromTheNegativePromptThroughThePrompt) {
  const Array cond = array({1, -2}), uncond = array({0.5f, 2});
  expect_equal(guide(cond, uncond, 0), {0.5f, 2});
  expect_equal(guide(cond, uncond, 1), {1, -2});
  expect_equal(guide(cond, uncond, 4), {2.5f, -14});
}

TEST(Guide, IsTheSameOnVelocitiesAndDenoised) {
  const Array x = array({3, 1}), cond = array({1, -2}), uncond = array({0.5f, 2});
  const Array a = flow_denoised(x, guide(cond, uncond, 4), 0.5f);
  const Array b = guide(flow_denoised(x, cond, 0.5f), flow_denoised(x, uncond, 0.5f), 4);
  for (Dim i = 0; i < 2; ++i) EXPECT_FLOAT_EQ(a[i], b[i]);
}

TEST(Flow, StartAndDenoisedAreInverse) {
  const Array noise = array({1, -1, 0.25f}), latent = array({2, 0, -3});
  expect_equal(flow_start(noise, latent, 0.75f), {1.25f, -0.75f, -0.5625f});
  expect_equal(flow_start(noise, latent, 1), {1, -1, 0.25f});
  expect_equal(flow_denoised(flow_start(noise, latent, 0.75f), noise - latent, 0.75f), {2, 0, -3});
}

}  // namespace
}  // namespace tintype
