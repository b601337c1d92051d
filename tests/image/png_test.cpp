#include "image/png.h"

#include <algorithm>
#include <cstring>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/os.h"
#include "support/test_data.h"

namespace tintype {
namespace {

using testing::HasSubstr;

Pixels gradient(int width, int height) {
  Pixels pixels{width, height, {}};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (const int value : {x, y, x * y}) pixels.rgb.push_back(static_cast<uint8_t>(value));
    }
  }
  return pixels;
}

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

std::string refusal(std::span<const std::byte> bytes) {
  try {
    decode_png(bytes, "a.png");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadFile);
    return error.what();
  }
  return "accepted";
}

bool contains(std::span<const std::byte> bytes, std::string_view text) {
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()).find(text) !=
         std::string_view::npos;
}

TEST(Png, PixelsAndTextsComeBack) {
  const std::vector<TextChunk> texts{{"parameters", "a red star\nSteps: 20"},
                                     {"tintype", R"({"prompt": "家と月, café"})"},
                                     {"Autor", "Zoë"},
                                     {"empty", ""},
                                     {"same", "one"},
                                     {"same", "two"}};
  for (const auto& [width, height] : {std::pair{1, 1}, {3, 5}, {128, 96}}) {
    const Pixels pixels = gradient(width, height);
    const Png png = decode_png(encode_png(pixels, texts), "a.png");
    EXPECT_EQ(png.pixels.width, width);
    EXPECT_EQ(png.pixels.height, height);
    EXPECT_EQ(png.pixels.rgb, pixels.rgb);
    EXPECT_EQ(png.texts, texts);
  }
}

TEST(Png, LongTextsComeBack) {
  const std::string plain(1 << 20, 'x'), wide = "月" + plain;
  const std::vector<TextChunk> texts{{"plain", plain}, {"wide", wide}};
  EXPECT_EQ(decode_png(encode_png(gradient(2, 2), texts), "a.png").texts, texts);
}

TEST(Png, SameArgumentsSameBytes) {
  const Pixels pixels = gradient(64, 64);
  const std::vector<TextChunk> texts{{"parameters", "月"}};
  EXPECT_EQ(encode_png(pixels, texts), encode_png(pixels, texts));
}

TEST(Png, TheTextDecidesTheChunk) {
  const auto plain = encode_png(gradient(2, 2), {{"key", "Zoë"}});
  EXPECT_TRUE(contains(plain, "tEXtkey"));
  EXPECT_TRUE(contains(plain, "Zo\xeb"));
  const auto wide = encode_png(gradient(2, 2), {{"key", "月"}});
  EXPECT_TRUE(contains(wide, "iTXtkey"));
  EXPECT_TRUE(contains(wide, "月"));
}

TEST(Png, RefusesKeysThatNoReaderWouldFind) {
  for (const std::string& key : {std::string(), std::string(80, 'k'), std::string(" k"),
                                 std::string("k "), std::string("月")}) {
    EXPECT_THROW(encode_png(gradient(1, 1), {{key, "text"}}), Error) << key;
  }
}

// 1x1, 16-bit grey with alpha: what other programs write is read as 8-bit RGB.
TEST(Png, ReadsOtherColourTypes) {
  const auto file = File::open(test::golden("image/grey_alpha_16.png"));
  const Png png = decode_png(file->bytes(), file->path());
  EXPECT_EQ(png.pixels.width, 2);
  EXPECT_EQ(png.pixels.height, 1);
  EXPECT_EQ(png.pixels.rgb, (std::vector<uint8_t>{0x12, 0x12, 0x12, 0xff, 0xff, 0xff}));
  EXPECT_EQ(png.texts, (std::vector<TextChunk>{{"zipped", "a packed text"}}));
}

TEST(Png, ReadsInterlacedPalettes) {
  const auto file = File::open(test::golden("image/palette_interlaced.png"));
  const Png png = decode_png(file->bytes(), file->path());
  ASSERT_EQ(png.pixels.width, 9);
  ASSERT_EQ(png.pixels.height, 9);
  for (size_t i = 0; i < 81; ++i) {
    const std::vector<uint8_t> want =
        i % 2 == 0 ? std::vector<uint8_t>{255, 0, 0} : std::vector<uint8_t>{0, 0, 255};
    EXPECT_TRUE(std::equal(want.begin(), want.end(),
                           png.pixels.rgb.begin() + static_cast<ptrdiff_t>(3 * i)));
  }
}

TEST(Png, RefusesWhatIsNoPng) {
  EXPECT_EQ(refusal({}), "a.png: is not a PNG file");
  EXPECT_EQ(refusal(bytes_of({'<', 'h', 't', 'm', 'l', '>', ' ', ' ', ' '})),
            "a.png: is not a PNG file");
}

TEST(Png, RefusesEveryShortenedFile) {
  const auto whole = encode_png(gradient(5, 5), {{"key", "text"}});
  for (size_t size = 8; size < whole.size(); ++size) {
    EXPECT_THAT(refusal(std::span(whole).first(size)),
                HasSubstr("a.png: is a damaged PNG: it ends too early"));
  }
}

TEST(Png, RefusesFlippedPixelBytes) {
  auto file = encode_png(gradient(20, 20));
  file[file.size() - 20] ^= std::byte{0x40};
  EXPECT_THAT(refusal(file), HasSubstr("is a damaged PNG: IDAT"));
}

// The header's checksum is right, so only the limits stand between the file and 3 GB of memory.
TEST(Png, RefusesHugePicturesInTinyFiles) {
  auto file = encode_png(gradient(1, 1));
  const auto header = bytes_of({0x00, 0x00, 0x80, 0x00, 0x00, 0x00, 0x80, 0x00, 0x08, 0x02, 0x00,
                                0x00, 0x00, 0x4b, 0x1e, 0x34, 0x28});
  std::copy(header.begin(), header.end(), file.begin() + 16);
  EXPECT_THAT(refusal(file), HasSubstr("bytes cannot hold its picture"));
}

TEST(Png, RefusesSidesBeyondTheLimit) {
  EXPECT_THROW(encode_png({40000, 1, std::vector<uint8_t>(3 * 40000)}), Error);
  EXPECT_THROW(encode_png({}), Error);
}

}  // namespace
}  // namespace tintype
