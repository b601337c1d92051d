// From options to what kernels are lowered for.
#pragma once

#include "pipeline/stage.h"
#include "tintype/request.h"

namespace tintype {

// Facts of this machine, narrowed to options.isa. Throws kMachine below AVX2, kUsage on an unknown
// or missing instruction set.
DeviceFacts device_facts(const EngineOptions& options);

// Everything that options decide; sets the process' thread count and oneDNN's limit. Throws kUsage
// naming the option that makes no sense.
RunSettings run_settings(const EngineOptions& options);

LoadMode load_mode(const EngineOptions& options);

}  // namespace tintype
