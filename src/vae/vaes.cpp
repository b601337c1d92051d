#include "vae/vae.h"

namespace tintype {

std::span<const VaeFamily* const> vae_families() {
  static constexpr const VaeFamily* kTable[] = {
      &kKlVae,
  };
  return kTable;
}

}  // namespace tintype
