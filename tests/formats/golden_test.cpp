// Files by gguf-py and comfy-kitchen decode to what those decode them to (tools/golden/formats.py).
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/arrays.h"
#include "formats/formats.h"
#include "formats/weight_index.h"
#include "support/test_data.h"

namespace tintype::test {
namespace {

std::string golden(const char* name) { return test::golden(std::string("formats/") + name); }

void expect_decoded(const char* file, const char* decoded, double plain, double rotated) {
  const auto index = read_weights(golden(file));
  const NamedArrays want = read_arrays(golden(decoded));
  EXPECT_EQ(index->parameters.size(), want.size());
  for (const auto& [name, array] : want) {
    SCOPED_TRACE(name);
    const Parameter* p = index->find(name);
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(p->shape, array.shape());
    const auto got = decode(*p);
    double error = 0, size = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      error += std::pow(double{got[i]} - array.values()[i], 2);
      size += std::pow(double{array.values()[i]}, 2);
    }
    EXPECT_LE(std::sqrt(error / size), p->rotation ? rotated : plain);
  }
}

TEST(Golden, BlocksDecodeAsGgufPyDoes) {
  expect_decoded("blocks.gguf", "blocks_decoded.safetensors", 0, 0);
}

TEST(Golden, ScaledCodesDecodeAsComfyKitchenDoes) {
  expect_decoded("scaled.safetensors", "scaled_decoded.safetensors", 2e-7, 1e-6);
}

TEST(Golden, Fp8CodesAreTorchs) {
  NamedArrays codes;
  // The file also holds NaN values: compared code by code.
  codes = read_arrays(golden("codes.safetensors"));
  const struct {
    const Fp8Format* format;
    uint8_t (*encode)(float);
    const char* name;
  } types[] = {{&kFp8E4M3, float_to_e4m3, "e4m3"}, {&kFp8E5M2, float_to_e5m2, "e5m2"}};
  for (const auto& type : types) {
    SCOPED_TRACE(type.name);
    const Array &values = codes.at(type.name), &x = codes.at("x");
    for (Dim i = 0; i < 256; ++i) {
      const float got = type.format->values()[i], want = values[i];
      EXPECT_TRUE(got == want || (got != got && want != want)) << i;
    }
    const auto expected = codes.at(std::string(type.name) + "_codes").values<int32_t>();
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_EQ(type.encode(x.values()[i]), expected[i]) << x.values()[i];
  }
}

TEST(Golden, MetadataKeepsItsTypes) {
  const auto index = read_weights(golden("blocks.gguf"));
  EXPECT_EQ(index->container, "gguf");
  EXPECT_EQ(*index->meta<std::string>("general.architecture"), "t5encoder");
  EXPECT_EQ(*index->meta<int64_t>("test.u32"), 4000000000);
  EXPECT_EQ(*index->meta<int64_t>("test.i64"), -5);
  EXPECT_EQ(*index->meta<double>("test.f32"), 0.25);
  EXPECT_EQ(*index->meta<bool>("test.bool"), true);
  EXPECT_EQ(*index->meta<std::vector<std::string>>("tokenizer.ggml.tokens"),
            (std::vector<std::string>{"<pad>", "</s>", "\u2581a"}));
  EXPECT_EQ(*index->meta<std::vector<float>>("tokenizer.ggml.scores"),
            (std::vector<float>{0, -1.5f, -2.25f}));
  EXPECT_EQ(*index->meta<std::vector<int64_t>>("tokenizer.ggml.token_type"),
            (std::vector<int64_t>{3, 3, 1}));
  EXPECT_EQ(*index->meta<std::vector<uint8_t>>("tokenizer.ggml.precompiled_charsmap"),
            (std::vector<uint8_t>{0, 1, 255}));
  EXPECT_EQ(index->meta<std::string>("test.u32"), nullptr);
  EXPECT_EQ(index->meta<bool>("absent"), nullptr);
}

TEST(Golden, WhatTheFileSaysOfALayerIsKept) {
  const auto index = read_weights(golden("scaled.safetensors"));
  EXPECT_EQ(index->find("convrot_1024.weight")->rotation, 1024);
  EXPECT_EQ(index->find("default_group.weight")->rotation, 256);
  EXPECT_EQ(index->find("narrow.weight")->rotation, 64);  // its marker says 256
  EXPECT_EQ(index->find("quarot.weight")->rotation, 256);
  EXPECT_EQ(index->find("nested.weight")->rotation, 16);
  EXPECT_TRUE(int8_view(*index->find("rowwise_flat.weight")).per_row);
  EXPECT_FALSE(int8_view(*index->find("tensorwise.weight")).per_row);
  EXPECT_TRUE(index->find("old.rowwise.weight")->weight_only);
  EXPECT_EQ(index->find("old.rowwise.weight")->parts.size(), 3u);  // with its input scale
  EXPECT_EQ(index->find("plain_e4m3fn.weight")->parts.size(), 1u);
  EXPECT_EQ(index->others.at("ids").dtype, "I64");
  EXPECT_EQ(index->format_counts().at("int8 rowwise convrot 256"), 3u);
}

}  // namespace
}  // namespace tintype::test
