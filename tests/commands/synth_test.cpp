#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "commands/synth_file.h"
#include "commands/synth_shapes.h"
#include "commands/synth_values.h"
#include "formats/formats.h"
#include "pipeline/components.h"
#include "tintype/error.h"

namespace tintype {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const WeightIndex> written(std::span<const SynthTensor> tensors,
                                           std::string_view format) {
  const std::string path = (fs::path(testing::TempDir()) / "tintype-synth-test").string();
  write_synth(path, tensors, format, /*seed=*/1, nullptr);
  std::shared_ptr<const WeightIndex> index = read_weights(path, LoadMode::kRead);
  fs::remove(path);
  return index;
}

TEST(SynthValues, AreNormal) {
  std::vector<float> values(1 << 18);
  NormalValues(1, "a", 3, 0.5f).fill(0, values);
  double sum = 0, squares = 0;
  for (const float v : values) sum += v;
  const double mean = sum / static_cast<double>(values.size());
  for (const float v : values) squares += (v - mean) * (v - mean);
  EXPECT_NEAR(mean, 3, 0.005);
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(values.size())), 0.5, 0.005);
}

TEST(SynthValues, DependOnSeedNameAndPositionAlone) {
  std::vector<float> all(10000), part(100), other(100);
  set_threads(2);
  NormalValues(1, "a", 0, 1).fill(0, all);
  set_threads(1);
  NormalValues(1, "a", 0, 1).fill(5000, part);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + 5000));
  NormalValues(2, "a", 0, 1).fill(5000, other);
  EXPECT_NE(other, part);
  NormalValues(1, "b", 0, 1).fill(5000, other);
  EXPECT_NE(other, part);
}

void expect_complete(const std::shared_ptr<const WeightIndex>& index) {
  const auto found = detect(index);
  ASSERT_EQ(found.size(), 1u);
  if (found[0].role == Role::kDenoiser) load_denoiser(found[0], /*strict=*/true);
  if (found[0].role == Role::kText) load_text_encoder(found[0], /*strict=*/true);
  if (found[0].role == Role::kVae) load_vae(found[0], /*strict=*/true);
}

// Every family is recognised as what it is and binds completely.
TEST(SynthShapes, AreThoseOfTheFamilies) {
  const std::pair<std::string_view, SynthSizes> families[] = {
      {"flux1", {.blocks = 1, .single_blocks = 2, .hidden = 128, .guidance = true}},
      {"t5xxl", {.blocks = 1, .hidden = 64}},
      {"clip_l", {.blocks = 1, .hidden = 64}},
      {"kl16", {.hidden = 32}},
  };
  for (const auto& [name, sizes] : families) {
    SCOPED_TRACE(name);
    const auto family = std::ranges::find(synth_families(), name, &SynthFamily::name);
    for (const bool gguf : {false, true})
      expect_complete(gguf ? written(gguf_tensors(*family, sizes), "q8_0")
                           : written(family->tensors(sizes), "bf16"));
  }
}

TEST(SynthFile, HoldsTheSameWeightInEveryFormat) {
  const SynthTensor tensors[] = {{"block.weight", {8, 512}, 0, 0.02f, true},
                                 {"block.bias", {8}, 0, 0.02f, false},
                                 {"in.weight", {4, 64}, 0, 0.02f, false}};
  const std::vector<float> exact = decode(*written(tensors, "f32")->find("block.weight"));
  for (const std::string_view format : synth_formats()) {
    SCOPED_TRACE(format);
    const auto index = written(tensors, format);
    ASSERT_EQ(index->parameters.size(), 3u);
    EXPECT_TRUE(index->others.empty());
    const std::vector<float> values = decode(*index->find("block.weight"));
    double error = 0, norm = 0, squares = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      error += std::pow(values[i] - exact[i], 2);
      norm += std::pow(exact[i], 2);
      squares += std::pow(values[i], 2);
    }
    EXPECT_NEAR(std::sqrt(squares / norm), 1, 0.05);
    if (format == "int8-convrot") continue;  // its codes are drawn, not computed
    EXPECT_LT(std::sqrt(error / norm), 0.12);
  }
}

TEST(SynthFile, StoresWhatABlockFormatCannotHoldAsF16) {
  const SynthTensor tensors[] = {{"block.weight", {8, 48}, 0, 0.02f, true}};
  EXPECT_EQ(written(tensors, "q6_k")->find("block.weight")->format->name(), "f16");
}

TEST(SynthFile, RefusesAnUnknownFormat) {
  EXPECT_THROW(write_synth("x", {}, "q6k", 0, nullptr), Error);
}

}  // namespace
}  // namespace tintype
