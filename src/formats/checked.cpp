#include "formats/checked.h"

#include <algorithm>

#include "base/error.h"

namespace tintype {
namespace {

constexpr size_t kMaxName = 1024;  // bytes
constexpr size_t kMaxExcerpt = 100;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

std::optional<uint64_t> checked_multiply(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

std::optional<uint64_t> checked_bytes(const Shape& shape, uint64_t values, uint64_t bytes) {
  std::optional<uint64_t> elements = 1;
  for (const Dim d : shape.dims()) {
    elements = checked_multiply(*elements, static_cast<uint64_t>(d));
    if (!elements) return std::nullopt;
  }
  const auto size = checked_multiply(*elements / values, bytes);
  return size && *size <= kMaxFile ? size : std::nullopt;
}

void check_name(std::string_view name, const std::string& path) {
  check(!name.empty(), ErrorCode::kBadFile, path, ": has a tensor without a name");
  check(name.size() <= kMaxName, ErrorCode::kBadFile, path, ": ", excerpt(name), ": has a name of ",
        name.size(), " bytes, at most ", kMaxName, " are allowed");
  check(std::none_of(name.begin(), name.end(), is_control), ErrorCode::kBadFile, path, ": ",
        excerpt(name), ": has control characters in its name");
}

std::string excerpt(std::string_view text) {
  std::string out(text.substr(0, kMaxExcerpt));
  std::replace_if(out.begin(), out.end(), is_control, '?');
  if (out.size() < text.size()) out += "...";
  return out;
}

void fail_truncated(const std::string& path, std::string_view tensor, uint64_t has,
                    uint64_t needs) {
  fail(ErrorCode::kBadFile, path, ": has ", has, " of ", needs, " bytes (", has * 100 / needs,
       " %), so the download is incomplete; ", tensor, " is the first tensor that is cut");
}

}  // namespace tintype
