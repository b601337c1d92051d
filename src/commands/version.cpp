#include "tintype/version.h"

#include <iostream>

#include <nlohmann/json.hpp>

#include "backends/cpu/kernels.h"
#include "backends/cpu/library_versions.h"
#include "backends/reference/kernels.h"
#include "base/cpu_info.h"
#include "base/error.h"
#include "commands/commands.h"

namespace tintype {
namespace {

using Json = nlohmann::ordered_json;

#ifdef TINTYPE_COMMIT
constexpr std::string_view kCommit = TINTYPE_COMMIT;
#else
constexpr std::string_view kCommit = "unknown";
#endif

std::string compiler() {
#ifdef __clang__
  return concat_text("clang ", __clang_version__);
#else
  return concat_text("gcc ", __VERSION__);
#endif
}

struct CpuFeature {
  const char* name;
  bool CpuInfo::*member;
};
constexpr CpuFeature kFeatures[] = {
    {"avx2", &CpuInfo::avx2},
    {"fma", &CpuInfo::fma},
    {"f16c", &CpuInfo::f16c},
    {"avx_vnni", &CpuInfo::avx_vnni},
    {"avx512", &CpuInfo::avx512},
    {"avx512_vnni", &CpuInfo::avx512_vnni},
    {"avx512_bf16", &CpuInfo::avx512_bf16},
    {"amx_tile", &CpuInfo::amx_tile},
    {"amx_bf16", &CpuInfo::amx_bf16},
    {"amx_int8", &CpuInfo::amx_int8},
};

Json facts() {
  const CpuInfo cpu = cpu_info();
  Json features = Json::array();
  for (const CpuFeature& feature : kFeatures)
    if (cpu.*feature.member) features.push_back(feature.name);
  Json libraries;
  for (const auto& [name, version] : cpu::library_versions()) libraries[name] = version;
  Json backends;
  for (const Backend* backend : {&cpu_backend(), &reference_backend()})
    for (const Kernel* kernel : backend->kernels)
      backends[std::string(backend->name)].push_back(kernel->id);
  return {{"version", kVersion},
          {"commit", kCommit},
          {"compiler", compiler()},
          {"libraries", libraries},
          {"cpu", {{"name", cpu.brand}, {"cores", cpu.cores}, {"features", features}}},
          {"kernels", backends}};
}

std::string joined(const Json& texts) {
  std::string all;
  for (const Json& text : texts) all += (all.empty() ? "" : " ") + text.get<std::string>();
  return all;
}

void print_text(const Json& facts) {
  std::cout << "tintype " << facts["version"].get<std::string>() << ", commit "
            << facts["commit"].get<std::string>() << ", built with "
            << facts["compiler"].get<std::string>() << "\n";
  for (const auto& [library, version] : facts["libraries"].items())
    std::cout << "  " << library << " " << version.get<std::string>() << "\n";
  const Json& cpu = facts["cpu"];
  std::cout << "  " << cpu["name"].get<std::string>() << ", " << cpu["cores"]
            << " cores: " << joined(cpu["features"]) << "\n";
  for (const auto& [backend, kernels] : facts["kernels"].items())
    std::cout << "  backend " << backend << ": " << joined(kernels) << "\n";
}

class VersionCommand final : public Command {
 public:
  void declare(Options&, Settings&) override {}
  void run(const Options&, const Settings& settings) override {
    if (settings.json)
      std::cout << facts().dump() << "\n";
    else
      print_text(facts());
  }
};

}  // namespace

const CommandEntry kVersionCommand{"version", "version, libraries and what this machine has",
                                   "  tintype version --json\n", make_command<VersionCommand>};

}  // namespace tintype
