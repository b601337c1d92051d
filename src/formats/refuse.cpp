#include "formats/refuse.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "base/error.h"

namespace tintype {
namespace {

using namespace std::string_view_literals;

constexpr size_t kLook = 512;  // bytes at the beginning that tell what a file is

struct Magic {
  std::string_view bytes, what, hint;
};
constexpr std::string_view kConvert = "convert it to safetensors, for instance with ComfyUI";
constexpr std::string_view kReload = "download it again";
constexpr Magic kMagics[] = {
    {"PK\x03\x04"sv,
     "is a zip archive, as PyTorch's .ckpt, .pt and .bin are: a pickle, which can run code",
     kConvert},
    {"version https://git-lfs"sv, "is a Git-LFS pointer, a note about where the file is",
     "fetch the file itself with git lfs pull, or by the download button of the site"},
    {"\x1f\x8b"sv, "is a gzip archive", "unpack it"},
    {"7z\xbc\xaf"sv, "is a 7z archive", "unpack it"},
    {"Rar!"sv, "is a RAR archive", "unpack it"},
    {"\x89PNG"sv, "is a PNG picture", {}},
    {"\xff\xd8\xff"sv, "is a JPEG picture", {}},
    {"\x89HDF"sv, "is an HDF5 file", kConvert},
    {"\x93NUMPY"sv, "is a NumPy array", kConvert},
    {"lmgg"sv, "is a GGML file from before GGUF", "look for a GGUF of the same model"},
    {"tjgg"sv, "is a GGML file from before GGUF", "look for a GGUF of the same model"},
    {"fmgg"sv, "is a GGML file from before GGUF", "look for a GGUF of the same model"},
    {"\0\0\0\0\0\0\0\0"sv, "begins with zeros, as an unfinished download may", kReload},
};

bool is_web_page(std::string_view head) {
  const size_t start = head.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (start == std::string_view::npos) return false;
  std::string tag(head.substr(start, 14));
  std::transform(tag.begin(), tag.end(), tag.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return tag.starts_with("<!doctype html") || tag.starts_with("<html") ||
         tag.starts_with("<head") || tag.starts_with("<?xml");
}

bool is_text(std::string_view head) {
  return std::all_of(head.begin(), head.end(), [](unsigned char c) {
    return c >= 0x80 || c == '\t' || c == '\r' || c == '\n' || (c >= 0x20 && c != 0x7f);
  });
}

// Protocols 2 to 5 open with PROTO; safetensors was ruled out before.
bool is_pickle(std::string_view head) {
  return head.size() >= 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5;
}

[[noreturn]] void refuse(const File& file, std::string_view what, std::string_view hint) {
  throw Error(ErrorCode::kBadFile,
              concat_text(file.path(), ": ", what, ", but a safetensors or GGUF file is needed"),
              std::string(hint));
}

}  // namespace

void refuse_content(const File& file) {
  const auto bytes = file.bytes();
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()),
                              std::min(bytes.size(), kLook));
  if (head.empty()) refuse(file, "is empty", kReload);
  for (const Magic& magic : kMagics)
    if (head.starts_with(magic.bytes)) refuse(file, magic.what, magic.hint);
  if (is_pickle(head)) refuse(file, "is a pickle, which can run code", kConvert);
  if (is_web_page(head))
    refuse(file, "is a web page",
           "the site wanted a login or an agreement instead; download it again");
  if (is_text(head)) refuse(file, "is a text file", {});
  refuse(file, "is of an unknown kind, or damaged at its beginning", kReload);
}

}  // namespace tintype
