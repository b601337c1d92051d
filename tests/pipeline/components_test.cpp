#include "pipeline/components.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "formats/arrays.h"
#include "support/golden_model.h"
#include "support/memory_file.h"

namespace tintype {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

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
  EXPECT_THAT(with("distilled_guidance_layer.norms.0.weight", {8}), HasSubstr("this is Chroma"));
  EXPECT_THAT(with("controlnet_x_embedder.weight", {8, 8}), HasSubstr("this is a ControlNet"));
  EXPECT_THAT(with("img_in.weight", {8, 384}), HasSubstr("FLUX.1 Fill"));
  EXPECT_THAT(with("img_in.weight", {8, 128}), HasSubstr("FLUX.1 Control"));
  EXPECT_THAT(with("img_in.weight", {8, 196}), HasSubstr("a derivative of FLUX.1"));
  EXPECT_THAT(with("txt_in.weight", {8, 3584}), HasSubstr("LongCat-Image"));
}

TEST(Detect, NamesStrangers) {
  const std::pair<const char*, const char*> strangers[] = {
      {"redux_up.weight", "FLUX.1 Redux"},
      {"lora_unet_double_blocks_0_img_attn_proj.lora_down.weight", "a LoRA"},
      {"transformer.transformer_blocks.0.attn.to_q.lora_A.weight", "a LoRA"},
      {"joint_blocks.0.context_block.attn.qkv.weight", "Stable Diffusion 3"},
      {"net.llm_adapter.blocks.0.cross_attn.q_proj.weight", "Anima"},
      {"controlnet_cond_embedding.conv_in.weight", "a ControlNet"},
      {"decoder.layers.0.weight", "TAESD"},
      {"encoder.block.0.layer.1.DenseReluDense.wi.weight", "T5 1.0"},
      {"transformer.resblocks.0.attn.in_proj_weight", "OpenCLIP"},
  };
  for (const auto& [key, name] : strangers)
    EXPECT_THAT(refusal({{key, {4, 4}}}), HasSubstr(name)) << key;
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

// A file without one tensor, or with one of another shape, is never taken for a smaller model.
class LoadTest : public testing::TestWithParam<const char*> {
 protected:
  std::string refusal_of(const std::shared_ptr<const WeightIndex>& index) const {
    try {
      for (const Component& c : detect(index)) {
        if (c.role == Role::kDenoiser) load_denoiser(c, /*strict=*/false);
        if (c.role == Role::kText) load_text_encoder(c, /*strict=*/false);
        if (c.role == Role::kVae) load_vae(c, /*strict=*/false);
        return "nothing was refused";
      }
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kBadFile) << e.what();
      return e.what();
    }
    return "not recognised";
  }
  const std::shared_ptr<const WeightIndex> whole_ = test::golden_model(GetParam()).index;
};

TEST_P(LoadTest, MissesEveryTensor) {
  for (const auto& [name, p] : whole_->parameters) {
    SCOPED_TRACE(name);
    const auto index = std::make_shared<WeightIndex>(*whole_);
    index->parameters.erase(name);
    EXPECT_NE(refusal_of(index), "nothing was refused");
  }
}

TEST_P(LoadTest, SeesEveryShape) {
  // sizes that are the file's to choose: widths of inputs, lengths of tables
  const std::set<std::pair<std::string, int>> free{
      {"context_embedder.weight", 1},
      {"time_text_embed.text_embedder.linear_1.weight", 1},
      {"shared.weight", 0},
      {"embeddings.token_embedding.weight", 0},
      {"embeddings.position_embedding.weight", 0}};
  for (const auto& [name, p] : whole_->parameters)
    for (int axis = 0; axis < p.shape.rank(); ++axis) {
      if (free.contains({name, axis})) continue;
      SCOPED_TRACE(testing::Message() << name << ", axis " << axis);
      const auto index = std::make_shared<WeightIndex>(*whole_);
      Parameter& changed = index->parameters.find(name)->second;
      ++changed.shape[axis];
      EXPECT_THAT(refusal_of(index), StartsWith(std::string(GetParam()) + ": "));
    }
}

INSTANTIATE_TEST_SUITE_P(Models, LoadTest,
                         testing::Values("flux_dev", "flux_schnell", "clip", "t5", "vae"),
                         [](const auto& model) { return std::string(model.param); });

TEST(Load, KeepsComponentsOfOneFileApart) {
  NamedArrays arrays;  // a denoiser without a prefix, and others below theirs
  for (const auto& [model, prefix] :
       {std::pair("flux_schnell", ""), std::pair("clip", "text_encoders.clip_l.transformer."),
        std::pair("t5", "text_encoders.t5xxl.transformer."), std::pair("vae", "vae.")}) {
    const test::GoldenModel golden = test::golden_model(model);
    for (const auto& [name, p] : golden.index->parameters)
      arrays.emplace(prefix + name, Array(p.shape, decode(p)));
  }
  arrays.emplace("vae.nobody.weight", Array({4}));
  const std::shared_ptr<const WeightIndex> index =
      parse_weights(test::memory_file(write_arrays(arrays)));
  const auto found = detect(index);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(orphan_notice(*index, found), std::nullopt);
  EXPECT_TRUE(load_denoiser(found[0], /*strict=*/true).report.unused.empty());
  EXPECT_EQ(load_vae(found[3], /*strict=*/false).report.unused,
            std::vector<std::string>{"vae.nobody.weight"});
}

TEST(Load, NoticesTensorsOfNoComponent) {
  Shapes shapes = flux_tell_tales("model.diffusion_model.");
  shapes["orphan.weight"] = {3, 3};
  const auto index = file_with(shapes);
  EXPECT_EQ(
      orphan_notice(*index, detect(index)),
      "FILE: 1 of its weights belong to no part that tintype knows, orphan.weight among them");
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
