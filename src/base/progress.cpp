#include "tintype/progress.h"

#include <algorithm>

namespace tintype {

void set_crumb(std::span<char> member, std::string_view text) {
  const std::string_view kept = text.substr(0, member.size() - 1);
  *std::ranges::copy(kept, member.begin()).out = 0;
}

}  // namespace tintype
