#include "formats/formats.h"

#include "base/error.h"
#include "formats/scaled_rows.h"

namespace tintype {
namespace {

constexpr const BlockFormat* kBlockFormats[] = {&kF32,  &kF16,  &kBF16, &kQ4_0,
                                                &kQ8_0, &kQ4_K, &kQ5_K, &kQ6_K};
constexpr const Format* kFormats[] = {&kF32,  &kF16,  &kBF16,    &kQ4_0,    &kQ8_0, &kQ4_K,
                                      &kQ5_K, &kQ6_K, &kFp8E4M3, &kFp8E5M2, &kInt8};

}  // namespace

std::span<const Format* const> formats() { return kFormats; }
std::span<const BlockFormat* const> block_formats() { return kBlockFormats; }

std::string describe(const Parameter& p) {
  std::string text(p.format->name());
  if (scales(p) != nullptr) text += has_row_scales(p) ? " rowwise" : " tensorwise";
  if (p.rotation != 0) text += concat_text(" convrot ", p.rotation);
  return text;
}

}  // namespace tintype
