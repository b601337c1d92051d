#include "commands/settings.h"

#include <algorithm>

#include "backends/cpu/kernels.h"
#include "backends/reference/kernels.h"
#include "base/error.h"
#include "base/nearest_name.h"
#include "commands/byte_sizes.h"

namespace tintype {
namespace {

void check_known(std::string_view option, std::string_view given,
                 const std::vector<std::string_view>& known) {
  if (std::ranges::find(known, given) == known.end()) fail_unknown_name(option, given, known);
}

// Operations and kernels named on the command line are ones that there are, in any backend.
void check_kernel_names(const EngineOptions& engine) {
  std::vector<std::string_view> ids, ops;
  for (const Backend* backend : {&cpu_backend(), &reference_backend()})
    for (const Kernel* kernel : backend->kernels) {
      ids.push_back(kernel->id);
      ops.push_back(name(kernel->op));
    }
  std::ranges::sort(ops);
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  for (const std::string& id : engine.excluded_kernels) check_known("--exclude", id, ids);
  for (const auto& [op, id] : engine.routes) {
    check_known("--route", op, ops);
    check_known("--route", id, ids);
  }
}

}  // namespace

std::span<const EngineField> engine_fields() {
  static const EngineField fields[] = {
      {"backend", &EngineOptions::backend},
      {"compute", &EngineOptions::compute},
      {"act", &EngineOptions::act},
      {"isa", &EngineOptions::isa},
  };
  return fields;
}

void declare_settings(Options& options, Settings& settings) {
  options.group("Everywhere");
  options.add("--threads", settings.engine.threads, "N", "threads that compute; 0: one per core");
  options.add("--isa", settings.engine.isa, "avx2|avx512",
              "instructions to use; else the best that this machine has");
  options.add("--json", settings.json, "write JSON for programs");
  options.add("-q,--quiet", settings.quiet, "no progress, notes or summaries");
}

void declare_engine(Options& options, Settings& settings) {
  EngineOptions& engine = settings.engine;
  options.group("Engine");
  options.add("--backend", engine.backend, "cpu|reference",
              "reference computes in double with plain loops: slow, for comparison");
  options.add("--compute", engine.compute, "auto|f32|bf16", "type of activations and products");
  options.add("--act", engine.act, "as-stored|weight-only",
              "whether int8 weights get int8 activations");
  options.add("--budget", settings.budget, "BYTES",
              "memory that the process may keep, \"6GiB\" or \"500MB\"; else no limit");
  options.add("--load", engine.load, "map|read",
              "map files into memory, or read them (for network folders)");
  options.add("--strict", engine.strict, "refuse files with tensors that nothing asks for");
  options.add("--route", settings.routes, "OP=ID", "run an operation with this kernel");
  options.add("--exclude", engine.excluded_kernels, "ID", "never use this kernel");
}

EngineOptions engine_options(const Settings& settings) {
  EngineOptions engine = settings.engine;
  if (!settings.budget.empty()) engine.budget = parse_bytes("--budget", settings.budget);
  for (const std::string& route : settings.routes) {
    const size_t equals = route.find('=');
    check(equals != std::string::npos, ErrorCode::kUsage, "--route: has \"", route,
          "\", needs OP=ID");
    engine.routes.emplace_back(route.substr(0, equals), route.substr(equals + 1));
  }
  check_kernel_names(engine);
  return engine;
}

}  // namespace tintype
