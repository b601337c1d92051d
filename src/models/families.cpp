#include "models/families.h"

namespace tintype {

std::span<const Family* const> families() {
  static constexpr const Family* kTable[] = {
      &kFlux1,
  };
  return kTable;
}

}  // namespace tintype
