#include "backends/cpu/library_versions.h"

#include <dnnl.h>
#include <hwy/highway.h>

#include "base/error.h"

namespace tintype::cpu {

std::vector<std::pair<std::string, std::string>> library_versions() {
  const dnnl_version_t* dnnl = dnnl_version();
  return {{"oneDNN", concat_text(dnnl->major, ".", dnnl->minor, ".", dnnl->patch)},
          {"Highway", concat_text(HWY_MAJOR, ".", HWY_MINOR, ".", HWY_PATCH)}};
}

}  // namespace tintype::cpu
