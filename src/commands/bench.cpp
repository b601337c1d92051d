#include <algorithm>
#include <cmath>
#include <ctime>
#include <iomanip>
#include <iostream>

#include <nlohmann/json.hpp>

#include "base/cpu_info.h"
#include "base/error.h"
#include "commands/assets.h"
#include "commands/bench_case.h"
#include "commands/byte_sizes.h"
#include "commands/commands.h"
#include "commands/model_files.h"
#include "commands/numbers.h"
#include "commands/plan_text.h"
#include "engine/settings.h"

namespace tintype {
namespace {

using Json = nlohmann::ordered_json;

// "512" or "768x512"
BenchSetup parse_size(const std::string& text) {
  BenchSetup setup;
  const size_t cross = std::min(text.find('x'), text.size());
  const bool square = cross == text.size();
  const bool good =
      parse_number(std::string_view(text).substr(0, cross), setup.width) &&
      parse_number(std::string_view(text).substr(square ? 0 : cross + 1), setup.height);
  check(good, ErrorCode::kUsage, "--size: \"", text, "\" is not a size such as 512 or 768x512");
  return setup;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

Json products_json(const BenchResult& result) {
  Json list = Json::array();
  for (const BenchProducts& p : result.products)
    list.push_back({{"what", p.what},
                    {"m", p.m},
                    {"n", p.n},
                    {"k", p.k},
                    {"count", p.count},
                    {"type", p.type},
                    {"packed", p.packed},
                    {"seconds", p.seconds},
                    {"gops", p.operations / p.seconds * 1e-9}});
  return list;
}

// A file and what was measured with it.
struct Case {
  std::string file, family, formats;
  BenchSetup setup;
  BenchResult result;
};

Json case_json(const Case& c) {
  const BenchResult& r = c.result;
  return {{"file", c.file},
          {"family", c.family},
          {"formats", c.formats},
          {"width", c.setup.width},
          {"height", c.setup.height},
          {"text_length", c.setup.text_length},
          {"step_s", r.step_s},
          {"raw_s", r.raw_s},
          {"ratio", r.ratio()},
          {"linear_s", r.linear_s},
          {"attention_s", r.attention_s},
          {"other_s", r.other_s},
          {"bytes_touched", r.bytes_touched},
          {"products", products_json(r)}};
}

void print_case(const Case& c, bool products) {
  const BenchResult& r = c.result;
  const auto share = [&](double seconds) { return std::lround(100 * seconds / r.step_s); };
  std::cout << c.file << ", " << c.setup.width << "x" << c.setup.height << " (" << c.formats
            << ")\n"
            << std::fixed << std::setprecision(3) << "  step " << r.step_s << " s, raw products "
            << r.raw_s << " s, ratio " << std::setprecision(2) << r.ratio() << "; linear "
            << share(r.linear_s) << " %, attention " << share(r.attention_s) << " %, other "
            << share(r.other_s) << " %; touches "
            << format_bytes(static_cast<uint64_t>(r.bytes_touched)) << "\n";
  if (!products) return;
  for (const BenchProducts& p : r.products)
    std::cout << "    " << std::setw(4) << p.count << " x " << p.what << " [" << p.m << ", " << p.k
              << "] x [" << p.k << ", " << p.n << "] " << p.type << (p.packed ? " packed" : "")
              << ": " << std::setprecision(4) << p.seconds << " s, " << std::setprecision(0)
              << p.operations / p.seconds * 1e-9 << " GOP/s\n";
}

class BenchCommand final : public Command {
 public:
  void declare(Options& options, Settings& settings) override {
    options.group("What to measure");
    options.add("FILE", files_, "FILE", "denoisers; else the one that comes with tintype");
    options.add("--size", sizes_, "PIXELS", "512 or 768x512; may be repeated; else 512 and 1024");
    options.add("--repeat", repeats_, "N", "measurements, of which medians are taken");
    options.add("--t5-length", text_length_, "N", "tokens of the prompt");
    options.add("--products", products_, "also list every raw product");
    options.add("--assets", settings.assets, "FOLDER",
                "where the model that comes with tintype is");
    declare_engine(options, settings);
  }

  void run(const Options&, const Settings& settings) override {
    check(repeats_ >= 1 && text_length_ >= 1, ErrorCode::kUsage,
          "--repeat and --t5-length need 1 or more");
    const EngineOptions engine = engine_options(settings);
    const RunSettings run_with = run_settings(engine);
    RunControl control;
    control.cancel = settings.cancel;
    if (files_.empty()) files_ = expand_models({default_recipe(settings.assets)}).files;
    if (sizes_.empty()) sizes_ = {"512", "1024"};

    Json cases = Json::array();
    for (const Component& component : denoisers(load_mode(engine))) {
      const Loaded<Denoiser> denoiser = load_denoiser(component, run_with.strict);
      for (const std::string& size : sizes_) {
        const Case c = measure(denoiser, size, run_with, control);
        if (settings.json)
          cases.push_back(case_json(c));
        else
          print_case(c, products_);
      }
    }
    if (settings.json)
      std::cout << Json({{"date", today()},
                         {"cpu", cpu_info().brand},
                         {"threads", run_with.facts.threads},
                         {"isa", name(run_with.facts.isa)},
                         {"compute", name(run_with.compute)},
                         {"cases", cases}})
                       .dump(-1, ' ', false, Json::error_handler_t::replace)
                << "\n";
  }

 private:
  std::vector<Component> denoisers(LoadMode mode) const {
    std::vector<Component> found;
    for (const std::string& path : files_)
      for (Component& c : detect(read_weights(path, mode)))
        if (c.role == Role::kDenoiser) found.push_back(std::move(c));
    check(!found.empty(), ErrorCode::kUsage, files_[0],
          files_.size() > 1 ? " and the other files have" : " has",
          " no denoiser, and bench needs one");
    return found;
  }

  Case measure(const Loaded<Denoiser>& denoiser, const std::string& size,
               const RunSettings& settings, const RunControl& control) const {
    constexpr Dim kScale = 8;  // pixels per latent cell
    BenchSetup setup = parse_size(size);
    setup.repeats = repeats_;
    setup.text_length = text_length_;
    return {denoiser.component.index->path(), std::string(denoiser.component.family_name()),
            counts_text(denoiser.report.formats), setup,
            bench_step(denoiser, kScale, setup, settings, control)};
  }

  std::vector<std::string> files_, sizes_;
  int repeats_ = 5, text_length_ = 256;
  bool products_ = false;
};

}  // namespace

const CommandEntry kBenchCommand{
    "bench", "time of a denoiser step, against raw matrix products",
    "  tintype synth flux1 --blocks 2,4 --format int8-convrot -o f.safetensors\n"
    "  tintype bench f.safetensors --json\n",
    make_command<BenchCommand>, /*stops=*/true};

}  // namespace tintype
