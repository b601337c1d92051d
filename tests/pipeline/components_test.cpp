#include "pipeline/components.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "formats/arrays.h"
#include "support/golden_model.h"
#include "support/memory_file.h"

namespace tintype {
namespace {

using testing::HasSubstr;

using Shapes = std::map<std::string, Shape>;

std::shared_ptr<const WeightIndex> file_with(const Shapes& shapes) {
  NamedArrays arrays;
  for (const auto& [name, shape] : shapes) arrays.emplace(name, Array(shape));
  return parse_weights(test::memory_file(write_arrays(arrays)));
}

// What tells FLUX.1 from others, no more.
Shapes flux_tell_tales(const std::string& prefix = "") {
  return {{prefix + "img_in.weight", {8, 64}},
          {prefix + "txt_in.weight", {8, 16}},
          {prefix + "vector_in.in_layer.weight", {8, 4}},
          {prefix + "final_layer.linear.weight", {64, 8}},
          {prefix + "double_blocks.0.img_attn.qkv.weight", {24, 8}}};
}

std::string refusal(const Shapes& shapes) {
  try {
    detect(file_with(shapes));
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kBadFile);
    return e.what();
  }
  return "nothing was refused";
}

TEST(Detect, FindsFluxUnderAnyPrefix) {
  for (const std::string prefix :
       {"", "model.diffusion_model.", "diffusion_model.", "transformer."}) {
    const auto found = detect(file_with(flux_tell_tales(prefix)));
    ASSERT_EQ(found.size(), 1u) << prefix;
    EXPECT_EQ(found[0].family_name(), "flux.1");
    EXPECT_EQ(found[0].prefix, prefix);
  }
}

TEST(Detect, RefusesLookAlikesByTheirRightName) {
  const auto with = [](const std::string& key, const Shape& shape) {
    Shapes shapes = flux_tell_tales();
    shapes[key] = shape;
    return refusal(shapes);
  };
  EXPECT_THAT(with("double_stream_modulation_img.lin.weight", {8, 8}), HasSubstr("this is FLUX.2"));
  EXPECT_THAT(with("distilled_guidance_layer.in_proj.weight", {8, 8}), HasSubstr("this is Chroma"));
  EXPECT_THAT(with("img_in.weight", {8, 384}), HasSubstr("FLUX.1 Fill"));
  EXPECT_THAT(with("img_in.weight", {8, 128}), HasSubstr("FLUX.1 Control"));
  EXPECT_THAT(with("img_in.weight", {8, 196}), HasSubstr("a derivative of FLUX.1"));
  EXPECT_THAT(with("txt_in.weight", {8, 3584}), HasSubstr("LongCat-Image"));
}

TEST(Detect, NamesStrangers) {
  EXPECT_THAT(refusal({{"model.diffusion_model.input_blocks.0.0.weight", {4, 4, 3, 3}}}),
              HasSubstr("Stable Diffusion"));
  EXPECT_THAT(refusal({{"cap_embedder.1.weight", {8, 8}}}), HasSubstr("Z-Image"));
  EXPECT_TRUE(detect(file_with({{"something.weight", {2, 2}}})).empty());
}

TEST(Detect, SaysWhy) {
  std::vector<std::string> why;
  detect(file_with(flux_tell_tales()), &why);
  EXPECT_THAT(why, testing::Contains(HasSubstr("flux.1, original names: yes")));
  EXPECT_THAT(why, testing::Contains(HasSubstr("flux.1, diffusers")).Times(0));
  EXPECT_THAT(why, testing::Contains(HasSubstr("t5xxl, gguf names: no, enc.blk.0.attn_q.weight")));
}

TEST(Load, NamesAMissingTensor) {
  try {
    load_denoiser(detect(file_with(flux_tell_tales()))[0], /*strict=*/false);
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("is missing, flux.1 needs it"));
  }
}

TEST(Load, RefusesManyUnknownTensorsAndListsFew) {
  const auto clip_with = [](Dim extra) {
    const test::GoldenModel golden = test::golden_model("clip");
    NamedArrays arrays{{"unknown.weight", Array({extra})}};
    for (const auto& [name, p] : golden.index->parameters)
      arrays.emplace(name, Array(p.shape, decode(p)));
    return parse_weights(test::memory_file(write_arrays(arrays)));
  };
  const auto few = load_text_encoder(detect(clip_with(8)).at(0), /*strict=*/false);
  EXPECT_EQ(few.report.unused, std::vector<std::string>{"unknown.weight"});
  EXPECT_THROW(load_text_encoder(detect(clip_with(8)).at(0), /*strict=*/true), Error);
  EXPECT_THROW(load_text_encoder(detect(clip_with(100000)).at(0), /*strict=*/false), Error);
}

}  // namespace
}  // namespace tintype
