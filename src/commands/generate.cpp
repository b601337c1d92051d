#include <algorithm>
#include <cmath>
#include <iostream>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "commands/byte_sizes.h"
#include "commands/commands.h"
#include "commands/name_lists.h"
#include "commands/picture_output.h"
#include "commands/picture_record.h"
#include "commands/plan_text.h"
#include "commands/progress_lines.h"
#include "commands/request_options.h"
#include "image/png.h"

namespace tintype {
namespace {

// Bytes to try to write before painting: those of the pixels, or of a usual picture where the
// request leaves the size open, and never many.
size_t trial_bytes(const Request& r) {
  constexpr size_t kUsual = size_t{3} * 1024 * 1024, kMost = 16 * kUsual;
  const bool known = r.width > 0 && r.height > 0;
  return known ? std::min(kMost, static_cast<size_t>(r.width) * static_cast<size_t>(r.height) * 3)
               : kUsual;
}

// The last line of --json.
std::string picture_json(const Result& result, const std::string& path) {
  nlohmann::ordered_json line = {{"event", "picture"},
                                 {"path", path},
                                 {"seed", result.request.seed},
                                 {"seconds", result.seconds},
                                 {"peak_anonymous_bytes", result.peak_anonymous},
                                 {"peak_resident_bytes", result.peak_resident}};
  line["report"] = nlohmann::ordered_json::parse(plan_json(result.report));
  return line.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
}

void print_summary(std::ostream& out, const Result& result, const std::string& path) {
  const Request& r = result.request;
  const PlanReport& report = result.report;
  out << path << ": " << r.width << "x" << r.height << ", seed " << r.seed << ", " << report.steps
      << " steps of " << r.sampler << "/" << r.scheduler << ", " << report.compute << " on "
      << report.isa << ", " << concat_text(std::round(result.seconds * 100) / 100) << " s\n";
  print_components(out, report);
  out << "  memory: " << format_bytes(result.peak_anonymous) << " of its own at most (planned "
      << format_bytes(report.anonymous_bytes) << "), " << format_bytes(result.peak_resident)
      << " with files\n";
}

class GenerateCommand final : public Command {
 public:
  void declare(Options& options, Settings& settings) override {
    request_.declare(options, settings);
    options.group("Output");
    options.add("-o,--out", out_, "OUT.png",
                "file or folder, - for standard output; else tintype-SEED.png");
    options.add("--force", force_, "replace a file that exists; else the next free name is taken");
    options.add("--count", count_, "N", "pictures to paint; each adds one to the seed");
    options.add("--list", list_, "samplers|schedulers|formats", "print these names and stop");
  }

  void run(const Options& options, const Settings& settings) override {
    if (!list_.empty()) return print_names(std::cout, list_, settings.json);
    check(count_ >= 1, ErrorCode::kUsage, "--count: has ", count_, ", needs 1 or more");
    const PictureOutput output(out_, force_, count_ > 1);
    Job job = request_.resolve(options, settings);
    stop_if_cancelled(settings.cancel);

    std::ostream& told = output.standard() ? std::cerr : std::cout;
    ProgressLines progress(settings.json ? told : std::cerr,
                           progress_style(settings.quiet, settings.json));
    for (const std::string& notice : job.notices)
      progress.show({.kind = Event::Kind::kNotice, .stage = "load", .text = notice});
    Engine engine(job.engine);
    for (int i = 0; i < count_; ++i, ++job.request.seed) {
      output.probe(job.request.seed, trial_bytes(job.request));
      const Result result = paint(engine, job.request, progress, settings);
      const std::string path =
          output.write(job.request.seed,
                       encode_png(result.picture, record_texts(record_of(result, job.engine))));
      tell(told, result, path, output, settings);
    }
  }

 private:
  static Result paint(Engine& engine, const Request& request, ProgressLines& progress,
                      const Settings& settings) {
    Breadcrumb crumb;
    const JobControl control{.on_event = [&](const Event& event) { progress.show(event); },
                             .cancel = settings.cancel,
                             .crumb = &crumb};
    Result result = engine.generate(request, control);
    progress.finish();
    return result;
  }

  static void tell(std::ostream& out, const Result& result, const std::string& path,
                   const PictureOutput& output, const Settings& settings) {
    const std::string wanted = output.wanted(result.request.seed);
    if (settings.json) {
      out << picture_json(result, path) << std::endl;
    } else if (!settings.quiet) {
      if (path != wanted) out << wanted << " exists already; the picture went to " << path << "\n";
      print_summary(out, result, path);
    }
  }

  RequestOptions request_;
  std::string out_, list_;
  bool force_ = false;
  int count_ = 1;
};

}  // namespace

const CommandEntry kGenerateCommand{
    "generate", "paint pictures",
    "  tintype generate -p \"a red star on a blue background\"\n"
    "  tintype generate -m flux1-schnell.safetensors -m ae.safetensors -m clip_l.safetensors \\\n"
    "      -m t5xxl-Q5_K_M.gguf -p @prompt.txt --width 1024 --height 1024 -o house.png\n"
    "  tintype generate --from house.png --steps 8 -o house8.png\n",
    make_command<GenerateCommand>, /*stops=*/true};

}  // namespace tintype
