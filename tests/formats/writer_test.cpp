// What we write, we read back: every encoding, both containers, plain arrays.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/sha256.h"
#include "formats/arrays.h"
#include "formats/formats.h"
#include "formats/gguf_writer.h"
#include "formats/safetensors_writer.h"
#include "formats/weight_index.h"
#include "support/encodings.h"
#include "support/memory_file.h"
#include "support/weight_files.h"

namespace tintype::test {
namespace {

class Writer : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  const std::string path_ = testing::TempDir() + "tintype_writer_test.bin";
};

std::vector<float> waves(Dim count) {
  std::vector<float> out(static_cast<size_t>(count));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = 0.1f * std::sin(1.7f * static_cast<float>(i)) + 0.01f;
  return out;
}

double relative_error(const std::vector<float>& got, const std::vector<float>& want) {
  double error = 0, size = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    error += std::pow(double{got[i]} - want[i], 2);
    size += std::pow(double{want[i]}, 2);
  }
  return std::sqrt(error / size);
}

// Two weights and what goes with them, the second in pieces.
void write_all(WeightWriter writer_of(const std::string&, std::span<const TensorEntry>),
               const std::string& path, const test::Encoding& encoding, const Shape& shape,
               const std::vector<float>& values) {
  std::vector<TensorEntry> entries = encoding.entries("a.weight", shape);
  const auto more = encoding.entries("b.weight", shape);
  entries.insert(entries.end(), more.begin(), more.end());
  WeightWriter writer = writer_of(path, entries);
  const auto parts = encoding.encode(shape, values);
  for (const auto& bytes : parts) writer.write(bytes);
  for (const auto& bytes : parts) {
    writer.write(std::span(bytes).first(bytes.size() / 2));
    writer.write(std::span(bytes).subspan(bytes.size() / 2));
  }
  writer.commit();
}

TEST_F(Writer, EveryEncodingComesBack) {
  const Shape shape{6, 512};
  const auto values = waves(shape.elements());
  for (const test::Encoding& encoding : test::encodings()) {
    SCOPED_TRACE(encoding.name);
    ASSERT_TRUE(encoding.fits(shape));
    for (const bool gguf : {false, true}) {
      if (!(gguf ? encoding.in_gguf : encoding.in_safetensors)) continue;
      const auto safetensors_to = [](const std::string& path,
                                     std::span<const TensorEntry> entries) {
        return write_safetensors(path, entries, {{"quote\"", "new\nline"}});
      };
      const auto gguf_to = [](const std::string& path, std::span<const TensorEntry> entries) {
        return write_gguf(path, entries, {{"general.architecture", std::string("flux")}});
      };
      gguf ? write_all(gguf_to, path_, encoding, shape, values)
           : write_all(safetensors_to, path_, encoding, shape, values);

      const auto index = read_weights(path_);
      EXPECT_EQ(index->container, gguf ? "gguf" : "safetensors");
      EXPECT_EQ(index->parameters.size(), 2u);
      EXPECT_EQ(index->copied_bytes, 0u);
      for (const char* name : {"a.weight", "b.weight"}) {
        const Parameter* p = index->find(name);
        ASSERT_NE(p, nullptr);
        EXPECT_EQ(p->shape, shape);
        EXPECT_LE(relative_error(decode(*p), values), 0.1);
      }
      const auto* kept = index->meta<std::string>(gguf ? "general.architecture" : "quote\"");
      ASSERT_NE(kept, nullptr);
      EXPECT_EQ(*kept, gguf ? "flux" : "new\nline");
    }
  }
}

TEST_F(Writer, RotationIsTheWidestThatDivides) {
  const struct { Dim cols, group; } rows[] = {{512, 256}, {320, 64}, {48, 16}, {12, 4}};
  const test::Encoding& encoding = *test::find_encoding("convrot_int8");
  for (const auto& [cols, group] : rows) {
    const Shape shape{3, cols};
    WeightWriter writer = write_safetensors(path_, encoding.entries("a.weight", shape));
    for (const auto& bytes : encoding.encode(shape, waves(3 * cols))) writer.write(bytes);
    writer.commit();
    const auto index = read_weights(path_);
    EXPECT_EQ(index->find("a.weight")->rotation, group);
    EXPECT_LE(relative_error(decode(*index->find("a.weight")), waves(3 * cols)), 0.02);
  }
  EXPECT_FALSE(encoding.fits({3, 6}));
  EXPECT_FALSE(encoding.fits({512}));
  EXPECT_EQ(test::find_encoding("int7"), nullptr);
}

TEST_F(Writer, NothingAppearsBeforeCommit) {
  {
    const TensorEntry entry{"a", "F32", {4}};
    WeightWriter writer = write_safetensors(path_, std::span(&entry, 1));
    writer.write(std::vector<std::byte>(8));
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(Writer, GgufMetadataComesBack) {
  const std::map<std::string, MetaValue> metadata = {{"bool", true},
                                                     {"double", 0.5},
                                                     {"large", int64_t{1} << 40},
                                                     {"negative", int64_t{-3}},
                                                     {"small", int64_t{7}},
                                                     {"text", std::string("é")},
                                                     {"texts", std::vector<std::string>{"", "a b"}},
                                                     {"floats", std::vector<float>{1.5f}},
                                                     {"ints", std::vector<int64_t>{-1, 2}},
                                                     {"bytes", std::vector<uint8_t>{0, 255}}};
  write_gguf(path_, {}, metadata).commit();
  const auto index = read_weights(path_);
  EXPECT_EQ(index->metadata.size(), metadata.size());
  for (const auto& [key, value] : metadata) EXPECT_EQ(index->metadata.at(key), value) << key;
}

TEST(Arrays, ComeBack) {
  NamedArrays arrays;
  arrays["x"] = Array({1, 3}, std::vector<float>{1, -2, 3.5f});
  arrays["scalar"] = Array(Shape{}, std::vector<float>{7});
  arrays["tokens"] = Array({2}, DType::kI64);
  arrays["tokens"].values<int64_t>()[1] = int64_t{1} << 40;
  arrays["ids"] = Array({3}, DType::kI32);
  const auto back = parse_arrays(MemoryFile("FILE", write_arrays(arrays)));
  ASSERT_EQ(back.size(), arrays.size());
  for (const auto& [name, array] : arrays) {
    EXPECT_EQ(back.at(name).shape(), array.shape());
    EXPECT_EQ(back.at(name).dtype(), array.dtype());
    EXPECT_TRUE(std::ranges::equal(back.at(name).bytes(), array.bytes()));
  }
}

TEST(Arrays, OtherTypesAreWrongUse) {
  try {
    parse_arrays(MemoryFile("FILE", safetensors({codes("x", "F16", "[2]", 4)})));
    FAIL() << "was accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kUsage);
    EXPECT_STREQ(e.what(), "FILE: x: has F16 values, needs F32, I64 or I32");
  }
}

TEST(Arrays, DamagedFilesAreRefused) {
  EXPECT_THROW(parse_arrays(MemoryFile("FILE", bytes_of("hello"))), Error);
  EXPECT_THROW(parse_arrays(MemoryFile("FILE", bytes_of("GGUF"))), Error);
}

TEST(Sha256, PublishedVectors) {
  EXPECT_EQ(sha256_hex({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex(bytes_of("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(bytes_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::vector<std::byte>(1'000'000, std::byte{'a'})),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace
}  // namespace tintype::test
