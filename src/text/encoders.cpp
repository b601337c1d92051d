#include "text/encoder.h"

namespace tintype {

std::span<const TextFamily* const> text_families() {
  static constexpr const TextFamily* kTable[] = {
      &kClipL,
      &kT5Xxl,
  };
  return kTable;
}

}  // namespace tintype
