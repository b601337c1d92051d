#include "engine/settings.h"

#include "backends/cpu/kernels.h"
#include "backends/cpu/onednn.h"
#include "backends/reference/kernels.h"
#include "base/cpu_info.h"
#include "base/error.h"
#include "base/parallel.h"

namespace tintype {
namespace {

const Backend& find_backend(const std::string& name) {
  if (name == "cpu") return cpu_backend();
  check(name == "reference", ErrorCode::kUsage, "the back end '", name,
        "' is unknown; there are cpu and reference");
  return reference_backend();
}

// Native bf16 is twice as fast as f32 with AMX and on AMD, and half as fast on Intel without AMX.
DType find_compute(const std::string& name, const Backend& backend, const DeviceFacts& facts) {
  const bool native = facts.amx || (facts.amd && facts.bf16_dot);
  if (name == "auto") return native && &backend == &cpu_backend() ? DType::kBF16 : DType::kF32;
  check(name == "f32" || name == "bf16", ErrorCode::kUsage, "the compute type '", name,
        "' is unknown; there are auto, f32 and bf16");
  return name == "f32" ? DType::kF32 : DType::kBF16;
}

}  // namespace

DeviceFacts device_facts(const EngineOptions& options) {
  const CpuInfo cpu = cpu_info();
  check(cpu.avx2 && cpu.fma && cpu.f16c, ErrorCode::kMachine, "this processor, ", cpu.brand,
        ", has no AVX2 with FMA and F16C, and tintype needs them");
  const bool wide = cpu.avx512 && options.isa != "avx2";
  if (options.isa == "avx512")
    check(cpu.avx512, ErrorCode::kMachine, "--isa avx512: this processor, ", cpu.brand,
          ", has no AVX-512");
  else
    check(options.isa.empty() || options.isa == "avx2", ErrorCode::kUsage, "the instruction set '",
          options.isa, "' is unknown; there are avx2 and avx512");
  return {.isa = wide ? Isa::kAvx512 : Isa::kAvx2,
          .int8_dot = wide ? cpu.avx512_vnni : cpu.avx_vnni,
          .bf16_dot = wide && cpu.avx512_bf16,
          .amx = wide && cpu.amx_tile && cpu.amx_bf16 && cpu.amx_int8,
          .amd = cpu.vendor == "AuthenticAMD",
          .threads = options.threads > 0 ? options.threads : cpu.cores};
}

RunSettings run_settings(const EngineOptions& options) {
  check(options.threads >= 0 && options.threads <= 1024, ErrorCode::kUsage, "--threads ",
        options.threads, " is outside 0..1024");
  check(options.act == "as-stored" || options.act == "weight-only", ErrorCode::kUsage, "--act '",
        options.act, "' is unknown; there are as-stored and weight-only");
  RunSettings settings;
  settings.facts = device_facts(options);
  set_threads(settings.facts.threads);
  cpu::limit_onednn(settings.facts);
  settings.backend = &find_backend(options.backend);
  settings.compute = find_compute(options.compute, *settings.backend, settings.facts);
  settings.strict = options.strict;
  check(options.budget == 0 || options.load == "map", ErrorCode::kUsage,
        "--budget needs --load map: files that are read into memory stay there");
  settings.plan.weight_only = options.act == "weight-only";
  settings.plan.routes = {options.excluded_kernels, options.routes};
  return settings;
}

LoadMode load_mode(const EngineOptions& options) {
  check(options.load == "map" || options.load == "read", ErrorCode::kUsage, "--load '",
        options.load, "' is unknown; there are map and read");
  return options.load == "map" ? LoadMode::kMap : LoadMode::kRead;
}

}  // namespace tintype
