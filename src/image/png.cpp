#include "image/png.h"

#include <algorithm>
#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>

#include <png.h>

#include "base/error.h"

// libpng reports errors by a long jump, which must not pass over an object that has a destructor.
// So every stretch of libpng calls is a function of its own, with a setjmp and plain values only;
// what it fills lives in the caller.
namespace tintype {
namespace {

constexpr int kMaxSide = 32768;
constexpr size_t kMaxText = 8 << 20;  // bytes of one text chunk, unpacked
constexpr size_t kMaxTexts = 256;     // chunks that libpng keeps

struct Failure {
  char message[128] = "";
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  auto* failure = static_cast<Failure*>(png_get_error_ptr(png));
  std::strncpy(failure->message, message, sizeof(failure->message) - 1);
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

// ---- text -------------------------------------------------------------------------------------

// Latin-1 for `utf8`, or nothing where it has a character beyond U+00FF.
std::optional<std::string> latin1_from(const std::string& utf8) {
  std::string out;
  for (size_t i = 0; i < utf8.size(); ++i) {
    const auto lead = static_cast<unsigned char>(utf8[i]);
    if (lead < 0x80) {
      out += utf8[i];
      continue;
    }
    // U+0080..U+00FF are the two-byte sequences that begin with C2 or C3.
    const bool fits = (lead == 0xc2 || lead == 0xc3) && i + 1 < utf8.size();
    if (!fits) return std::nullopt;
    const auto trail = static_cast<unsigned char>(utf8[++i]);
    out += static_cast<char>((lead & 3) << 6 | (trail & 0x3f));
  }
  return out;
}

std::string utf8_from(std::string_view latin1) {
  std::string out;
  for (const char c : latin1) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
    } else {
      out += static_cast<char>(0xc0 | byte >> 6);
      out += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return out;
}

// A text chunk in the form that the file has.
struct StoredText {
  std::string key, text;  // key in Latin-1
  bool utf8 = false;      // iTXt
};

StoredText stored(const TextChunk& chunk) {
  const std::optional<std::string> key = latin1_from(chunk.key);
  check(key && !key->empty() && key->size() <= 79 && key->front() != ' ' && key->back() != ' ',
        ErrorCode::kUsage, "the PNG text key '", chunk.key,
        "' needs 1 to 79 Latin-1 characters without a space at either end");
  check(chunk.text.size() <= kMaxText, ErrorCode::kUsage, "the PNG text '", chunk.key, "' has ",
        chunk.text.size(), " bytes, more than ", kMaxText);
  const std::optional<std::string> text = latin1_from(chunk.text);
  return {*key, text.value_or(chunk.text), !text};
}

png_text view_of(StoredText& chunk) {
  png_text view{};
  view.compression = chunk.utf8 ? PNG_ITXT_COMPRESSION_NONE : PNG_TEXT_COMPRESSION_NONE;
  view.key = chunk.key.data();
  view.text = chunk.text.data();
  view.text_length = chunk.utf8 ? 0 : chunk.text.size();
  view.itxt_length = chunk.utf8 ? chunk.text.size() : 0;
  return view;
}

// ---- writing ----------------------------------------------------------------------------------

struct Writer {
  Failure failure;
  std::vector<std::byte> bytes;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &failure, on_error, on_warning);
  png_infop info = png_create_info_struct(png);

  Writer() = default;
  ~Writer() { png_destroy_write_struct(&png, &info); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
};

void append(png_structp png, png_bytep data, size_t size) {
  auto* bytes = static_cast<std::vector<std::byte>*>(png_get_io_ptr(png));
  const auto* first = reinterpret_cast<const std::byte*>(data);
  bytes->insert(bytes->end(), first, first + size);
}

void flush(png_structp) {}

bool write_all(Writer& w, const Pixels& pixels, std::span<const png_text> texts) {
  if (setjmp(png_jmpbuf(w.png)) != 0) return false;
  png_set_write_fn(w.png, &w.bytes, append, flush);
  png_set_IHDR(w.png, w.info, static_cast<png_uint_32>(pixels.width),
               static_cast<png_uint_32>(pixels.height), 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_text(w.png, w.info, texts.data(), static_cast<int>(texts.size()));
  png_write_info(w.png, w.info);
  const size_t stride = 3 * static_cast<size_t>(pixels.width);
  for (size_t y = 0; y < static_cast<size_t>(pixels.height); ++y) {
    png_write_row(w.png, pixels.rgb.data() + y * stride);
  }
  png_write_end(w.png, nullptr);
  return true;
}

// ---- reading ----------------------------------------------------------------------------------

struct Reader {
  explicit Reader(std::span<const std::byte> file) : left(file) {}
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Failure failure;
  std::span<const std::byte> left;
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &failure, on_error, on_warning);
  png_infop info = png_create_info_struct(png);
};

void take(png_structp png, png_bytep out, size_t size) {
  auto* left = static_cast<std::span<const std::byte>*>(png_get_io_ptr(png));
  if (size > left->size()) png_error(png, "it has no end");
  std::memcpy(out, left->data(), size);
  *left = left->subspan(size);
}

bool read_header(Reader& r) {
  if (setjmp(png_jmpbuf(r.png)) != 0) return false;
  png_set_read_fn(r.png, &r.left, take);
  png_set_user_limits(r.png, kMaxSide, kMaxSide);
  png_set_chunk_malloc_max(r.png, kMaxText);
  png_set_chunk_cache_max(r.png, kMaxTexts);
  png_read_info(r.png, r.info);
  return true;
}

// Asks for 8-bit RGB whatever the file has.
bool convert_to_rgb(Reader& r) {
  if (setjmp(png_jmpbuf(r.png)) != 0) return false;
  png_set_expand(r.png);
  png_set_scale_16(r.png);
  png_set_strip_alpha(r.png);
  png_set_gray_to_rgb(r.png);
  png_set_interlace_handling(r.png);
  png_read_update_info(r.png, r.info);
  return true;
}

bool read_rows(Reader& r, png_bytepp rows) {
  if (setjmp(png_jmpbuf(r.png)) != 0) return false;
  png_read_image(r.png, rows);
  png_read_end(r.png, r.info);
  return true;
}

// Whether all chunks up to the last one, IEND, lie inside the file. libpng asks for the memory of
// a chunk before it reads it, up to 2 GB, whatever the limits above.
bool chunks_fit(std::span<const std::byte> file) {
  constexpr size_t kFrame = 12;  // length, type, checksum
  for (size_t at = 8; file.size() - at >= kFrame;) {
    const auto* chunk = reinterpret_cast<png_const_bytep>(file.data() + at);
    const size_t length = png_get_uint_32(chunk);
    if (length > file.size() - at - kFrame) return false;
    if (std::memcmp(chunk + 4, "IEND", 4) == 0) return true;
    at += kFrame + length;
  }
  return false;
}

// Deflate shrinks by a factor of 1032 at best, so a short file cannot hold a huge picture: this
// bounds what a hostile header can make us allocate.
bool plausible(const Reader& r, size_t file_bytes) {
  const size_t unpacked = png_get_rowbytes(r.png, r.info) * png_get_image_height(r.png, r.info);
  return unpacked / 1032 <= file_bytes;
}

std::vector<TextChunk> texts_of(const Reader& r) {
  png_textp texts = nullptr;
  int count = 0;
  png_get_text(r.png, r.info, &texts, &count);
  std::vector<TextChunk> out;
  for (const png_text& t : std::span(texts, static_cast<size_t>(count))) {
    const bool utf8 = t.compression >= PNG_ITXT_COMPRESSION_NONE;
    const std::string_view text(t.text, utf8 ? t.itxt_length : t.text_length);
    out.push_back({utf8_from(t.key), utf8 ? std::string(text) : utf8_from(text)});
  }
  return out;
}

}  // namespace

std::vector<std::byte> encode_png(const Pixels& pixels, const std::vector<TextChunk>& texts) {
  check(pixels.width > 0 && pixels.height > 0 && pixels.width <= kMaxSide &&
            pixels.height <= kMaxSide,
        ErrorCode::kUsage, "a PNG has sides of 1 to ", kMaxSide, " pixels, but this picture has ",
        pixels.width, " x ", pixels.height);
  TINTYPE_ASSERT(pixels.rgb.size() ==
                 3 * static_cast<size_t>(pixels.width) * static_cast<size_t>(pixels.height));
  std::vector<StoredText> chunks;
  for (const TextChunk& chunk : texts) chunks.push_back(stored(chunk));
  std::vector<png_text> views;
  for (StoredText& chunk : chunks) views.push_back(view_of(chunk));

  Writer writer;
  const bool done = write_all(writer, pixels, views);
  check(done, ErrorCode::kFailed, "the PNG cannot be made: ", writer.failure.message);
  return std::move(writer.bytes);
}

Png decode_png(std::span<const std::byte> bytes, const std::string& name) {
  const auto* start = reinterpret_cast<png_const_bytep>(bytes.data());
  check(bytes.size() >= 8 && png_sig_cmp(start, 0, 8) == 0, ErrorCode::kBadFile, name,
        ": is not a PNG file");
  check(chunks_fit(bytes), ErrorCode::kBadFile, name, ": is a damaged PNG: it ends too early");
  Reader reader(bytes);
  const auto need = [&](bool ok) {
    check(ok, ErrorCode::kBadFile, name, ": is a damaged PNG: ", reader.failure.message);
  };
  need(read_header(reader));
  check(plausible(reader, bytes.size()), ErrorCode::kBadFile, name,
        ": is a damaged PNG: ", bytes.size(), " bytes cannot hold its picture");
  need(convert_to_rgb(reader));

  Png png;
  png.pixels.width = static_cast<int>(png_get_image_width(reader.png, reader.info));
  png.pixels.height = static_cast<int>(png_get_image_height(reader.png, reader.info));
  const size_t stride = 3 * static_cast<size_t>(png.pixels.width);
  TINTYPE_ASSERT(png_get_rowbytes(reader.png, reader.info) == stride);
  png.pixels.rgb.resize(stride * static_cast<size_t>(png.pixels.height));
  std::vector<png_bytep> rows;
  for (size_t at = 0; at < png.pixels.rgb.size(); at += stride) {
    rows.push_back(png.pixels.rgb.data() + at);
  }
  need(read_rows(reader, rows.data()));
  png.texts = texts_of(reader);
  return png;
}

}  // namespace tintype
