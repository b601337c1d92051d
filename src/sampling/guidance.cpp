#include "sampling/guidance.h"

namespace tintype {

Array guide(const Array& cond, const Array& uncond, float scale) {
  return uncond + scale * (cond - uncond);
}

Array flow_denoised(const Array& x, const Array& velocity, float sigma) {
  return x - sigma * velocity;
}

Array flow_start(const Array& noise, const Array& latent, float sigma) {
  return sigma * noise + (1 - sigma) * latent;
}

}  // namespace tintype
