#include "commands/picture_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tintype/error.h"

namespace tintype {
namespace {

using testing::HasSubstr;

PictureRecord sample() {
  PictureRecord record;
  record.version = "0.1.0";
  Request& r = record.request;
  r.prompt = "a \"house\", モデル é\nbelow a moon";
  r.negative = "blur";
  r.seed = 18446744073709551615u;
  r.width = 128;
  r.height = 96;
  r.steps = 20;
  r.cfg = 1.1;
  r.guidance = 3.5;
  r.shift = "mu=1.15";
  record.engine.compute = "f32";
  record.engine.isa = "avx2";
  record.engine.excluded_kernels = {"cpu.linear.panel"};
  record.engine.routes = {{"attend", "cpu.attend"}};
  record.files = {{"denoiser", "flux, dev.safetensors", 12'000'000'000, "ab12"},
                  {"vae", "ae.safetensors", 5, "cd"}};
  return record;
}

TEST(PictureRecord, SurvivesTheRoundTrip) {
  const PictureRecord record = sample(), back = read_record(record_texts(record), "a.png");
  EXPECT_EQ(back.version, record.version);
  EXPECT_EQ(back.request.prompt, record.request.prompt);
  EXPECT_EQ(back.request.negative, record.request.negative);
  EXPECT_EQ(back.request.seed, record.request.seed);
  EXPECT_EQ(back.request.width, record.request.width);
  EXPECT_EQ(back.request.height, record.request.height);
  EXPECT_EQ(back.request.steps, record.request.steps);
  EXPECT_EQ(back.request.cfg, record.request.cfg);
  EXPECT_EQ(back.request.guidance, record.request.guidance);
  EXPECT_EQ(back.request.sampler, record.request.sampler);
  EXPECT_EQ(back.request.scheduler, record.request.scheduler);
  EXPECT_EQ(back.request.shift, record.request.shift);
  EXPECT_EQ(back.request.rng, record.request.rng);
  EXPECT_EQ(back.request.t5_length, record.request.t5_length);
  EXPECT_EQ(back.engine.backend, record.engine.backend);
  EXPECT_EQ(back.engine.compute, record.engine.compute);
  EXPECT_EQ(back.engine.act, record.engine.act);
  EXPECT_EQ(back.engine.isa, record.engine.isa);
  EXPECT_EQ(back.engine.excluded_kernels, record.engine.excluded_kernels);
  EXPECT_EQ(back.engine.routes, record.engine.routes);
  ASSERT_EQ(back.files.size(), 2u);
  EXPECT_EQ(back.files[0].role, "denoiser");
  EXPECT_EQ(back.files[0].name, record.files[0].name);
  EXPECT_EQ(back.files[0].bytes, record.files[0].bytes);
  EXPECT_EQ(back.files[0].header_hash, record.files[0].header_hash);
}

TEST(PictureRecord, IsReadByOtherProgramsAsParameters) {
  const auto texts = record_texts(sample());
  ASSERT_EQ(texts[0].key, "parameters");
  EXPECT_EQ(texts[0].text,
            "a \"house\", モデル é\nbelow a moon\n"
            "Negative prompt: blur\n"
            "Steps: 20, Sampler: Euler, Schedule type: Simple, CFG scale: 1.1, "
            "Distilled CFG Scale: 3.5, Seed: 18446744073709551615, Size: 128x96, "
            "Model: \"flux, dev\", VAE: ae, RNG: CPU, Shift: mu=1.15, Version: tintype 0.1.0");
}

TEST(PictureRecord, IsMissingInOtherPictures) {
  try {
    read_record({{"parameters", "a cat"}}, "cat.png");
    FAIL() << "was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("cat.png: does not say how it was made"));
  }
}

TEST(PictureRecord, IsCheckedWhereItIsDamaged) {
  for (const char* text :
       {"", "[]", "{}", R"({"version": 1})", R"({"version": "1", "request": {"width": "x"}})",
        R"({"version": "1", "request": {}, "engine": {}})",
        R"({"version": "1", "request": {}, "engine": {"backend": "cpu", "compute": "f32",
            "act": "as-stored", "isa": "avx2", "excluded": [1], "routes": []}, "files": []})",
        R"({"version": "1", "request": {}, "engine": {"backend": "cpu", "compute": "f32",
            "act": "as-stored", "isa": "avx2", "excluded": [], "routes": [["a"]]}, "files": []})"})
    try {
      read_record({{"tintype", text}}, "a.png");
      ADD_FAILURE() << "was accepted: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadFile) << text;
      EXPECT_THAT(error.what(), HasSubstr("a.png")) << text;
    }
}

}  // namespace
}  // namespace tintype
