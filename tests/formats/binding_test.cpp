// Files that are right, in each of the dialects that the hubs offer.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/formats.h"
#include "formats/weight_index.h"
#include "support/memory_file.h"
#include "support/weight_files.h"

namespace tintype::test {
namespace {

constexpr std::string_view kMarker = R"({"format":"int8_tensorwise"})";

std::unique_ptr<WeightIndex> parse(const std::vector<Stored>& tensors,
                                   std::string_view metadata = "{}") {
  return parse_weights(memory_file(safetensors(tensors, metadata)));
}

std::string quantization_metadata(std::string_view layers) {
  std::string quoted;
  for (const char c : layers) quoted += c == '"' ? std::string("\\\"") : std::string(1, c);
  return R"({"_quantization_metadata":"{\"format_version\":\"1.0\",\"layers\":)" + quoted + "}\"}";
}

// Codes 1..8 under scales 1 and 2.
std::vector<Stored> layer(const std::string& name) {
  return {i8(name + ".weight", "[2,4]", {1, 2, 3, 4, 5, 6, 7, 8}),
          f32(name + ".weight_scale", "[2,1]", {1, 2})};
}
const std::vector<float> kDecoded = {1, 2, 3, 4, 10, 12, 14, 16};

TEST(Binding, EmbeddedMarker) {
  auto tensors = layer("a.b");
  tensors.push_back(marker("a.b.comfy_quant", kMarker));
  tensors.push_back(f32("a.b.bias", "[2]", {5, 6}));
  const auto index = parse(tensors);
  ASSERT_EQ(index->parameters.size(), 2u);
  EXPECT_TRUE(index->others.empty() && index->notices.empty());
  EXPECT_EQ(decode(*index->find("a.b.weight")), kDecoded);
  EXPECT_EQ(decode(*index->find("a.b.bias")), (std::vector<float>{5, 6}));
  EXPECT_EQ(index->find("a.b.weight")->name, "a.b.weight");
  EXPECT_EQ(index->weight_bytes(), 8u + 8u + 8u);
}

TEST(Binding, HeaderMarkersUnderEverySpelling) {
  const std::pair<const char*, const char*> spellings[] = {{"a.b", "a.b"},
                                                           {"model.diffusion_model.a.b", "a.b"},
                                                           {"a.b", "model.diffusion_model.a.b"},
                                                           {"net.a.b", "a.b"},
                                                           {"a.b", "model.a.b"}};
  for (const auto& [stored, said] : spellings) {
    SCOPED_TRACE(said);
    const auto index = parse(
        layer(stored),
        quantization_metadata("{\"" + std::string(said) + "\":" + std::string(kMarker) + "}"));
    EXPECT_EQ(decode(*index->find(std::string(stored) + ".weight")), kDecoded);
    EXPECT_EQ(index->metadata.count("_quantization_metadata"), 1u);
  }
}

TEST(Binding, HeaderMarkersAsPlainNames) {
  const auto index = parse(layer("a"), quantization_metadata(R"({"a":"int8_tensorwise"})"));
  EXPECT_EQ(decode(*index->find("a.weight")), kDecoded);
}

TEST(Binding, AgreeingMarkersMayOccurTwice) {
  auto tensors = layer("a");
  tensors.push_back(marker("a.comfy_quant", kMarker));
  const auto index = parse(tensors, quantization_metadata(R"({"a":{"format":"int8_tensorwise"},)"
                                                          R"("model.a":"int8_tensorwise"})"));
  EXPECT_EQ(index->parameters.size(), 1u);
}

TEST(Binding, MarkersOfInt8FastHaveNoFormat) {
  for (const char* json : {R"({"per_row":true})", R"({"convrot":false})", R"({"quarot":false})"}) {
    auto tensors = layer("a");
    tensors.push_back(marker("a.comfy_quant", json));
    EXPECT_EQ(decode(*parse(tensors)->find("a.weight")), kDecoded);
  }
}

TEST(Binding, EmptyMarkersAreForPlainWeights) {
  for (const std::string_view text : {std::string_view(), std::string_view("\0\0\0", 3)}) {
    const auto index = parse({f32("a.weight", "[2]", {1, 2}), marker("a.comfy_quant", text)});
    EXPECT_EQ(index->find("a.weight")->format, &kF32);
  }
}

TEST(Binding, PaddedMarkers) {
  auto tensors = layer("a");
  tensors.push_back(marker("a.comfy_quant", std::string(kMarker) + std::string(5, '\0')));
  EXPECT_EQ(parse(tensors)->find("a.weight")->format, &kInt8);
}

TEST(Binding, FullPrecisionLayersKeepFloatActivations) {
  auto tensors = layer("a");
  tensors.push_back(marker("a.comfy_quant", R"({"format":"int8_tensorwise",)"
                                            R"("full_precision_matrix_mult":true})"));
  const auto index = parse(tensors);
  const Parameter& p = *index->find("a.weight");
  EXPECT_TRUE(p.weight_only);
  EXPECT_EQ(p.format->activation(p), ActivationCodes::kNone);
}

TEST(Binding, OldScaledFp8WithPrefix) {
  const auto index = parse(
      {codes("m.scaled_fp8", "F8_E4M3", "[0]", 0), codes("m.a.weight", "F8_E4M3", "[2,2]", 4, 0x38),
       f32("m.a.scale_weight", "[1]", {0.5f}), f32("m.a.scale_input", "[]", {1}),
       codes("m.b.weight", "F8_E4M3", "[2,2]", 4, 0x38)});
  EXPECT_EQ(decode(*index->find("m.a.weight")), std::vector<float>(4, 0.5f));
  EXPECT_EQ(decode(*index->find("m.b.weight")), std::vector<float>(4, 1.0f));
  EXPECT_FALSE(index->find("m.a.weight")->weight_only);
  EXPECT_TRUE(index->others.empty());
}

TEST(Binding, ScaledFp8WithoutMarker) {
  const auto index = parse({codes("a.weight", "F8_E5M2", "[2,2]", 4, 0x3c),
                            f32("a.weight_scale", "[2]", {0.5f, 0.25f})});
  EXPECT_EQ(decode(*index->find("a.weight")), (std::vector<float>{.5f, .5f, .25f, .25f}));
}

TEST(Binding, HalfScalesAreWidened) {
  Stored scale = codes("a.weight_scale", "BF16", "[]", 2);
  scale.data = {std::byte{0x00}, std::byte{0x3f}};  // 0.5
  const auto index = parse({codes("a.weight", "F8_E4M3", "[1,2]", 2, 0x38), scale});
  EXPECT_EQ(decode(*index->find("a.weight")), (std::vector<float>{.5f, .5f}));
}

TEST(Binding, LargeScalesOfSmallCodesAreNoDamage) {
  const auto index =
      parse({codes("a.weight", "F8_E4M3", "[1,2]", 2, 0x38), f32("a.weight_scale", "[]", {1.0f})});
  EXPECT_EQ(decode(*index->find("a.weight")), (std::vector<float>{1, 1}));
}

TEST(Binding, MisalignedTensorsAreCopied) {
  const auto index = parse({codes("ids", "U8", "[1]", 1), f32("a.weight", "[2]", {1, 2})});
  EXPECT_EQ(decode(*index->find("a.weight")), (std::vector<float>{1, 2}));
  EXPECT_EQ(index->copied_bytes, 8u);
  ASSERT_EQ(index->notices.size(), 1u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(index->find("a.weight")->parts[0].bytes.data()) % 4, 0u);
}

TEST(Binding, ScalarsAndOtherTypes) {
  const auto index = parse({f32("logit_scale", "[]", {4.5f}), codes("ids", "I64", "[1,3]", 24),
                            codes("a.comfy_attention.config", "U8", "[2]", 2)},
                           R"({"modelspec.title":"x"})");
  EXPECT_EQ(index->find("logit_scale")->shape, Shape{});
  EXPECT_EQ(decode(*index->find("logit_scale")), std::vector<float>{4.5f});
  EXPECT_EQ(index->others.at("ids").shape, (Shape{1, 3}));
  EXPECT_EQ(index->others.size(), 2u);
  EXPECT_EQ(*index->meta<std::string>("modelspec.title"), "x");
  EXPECT_EQ(index->header_hash.size(), 64u);
}

TEST(Gguf, PaddingAfterTheLastTensorIsOptional) {
  for (const size_t data : {size_t{36}, size_t{64}}) {
    const auto index = parse_weights(memory_file(
        test::Gguf(2, 0).info("a", {8}, 0, 0).info("b", {1}, 0, 32).data(data).bytes()));
    EXPECT_EQ(index->parameters.size(), 2u);
  }
}

TEST(Gguf, DimensionsAreReversed) {
  const auto index = parse_weights(
      memory_file(test::Gguf(1, 0, 2).info(std::string(127, 'n'), {4, 2}, 0, 0).data(32).bytes()));
  EXPECT_EQ(index->find(std::string(127, 'n'))->shape, (Shape{2, 4}));
}

}  // namespace
}  // namespace tintype::test
