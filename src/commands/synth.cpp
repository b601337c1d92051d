#include <chrono>
#include <filesystem>
#include <iostream>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/nearest_name.h"
#include "commands/byte_sizes.h"
#include "commands/commands.h"
#include "commands/numbers.h"
#include "commands/synth_file.h"
#include "engine/settings.h"

namespace tintype {
namespace {

// "19,38" or "24" into sizes.
void parse_blocks(const std::string& text, SynthSizes& sizes) {
  const size_t comma = text.find(',');
  const bool one = comma == std::string::npos;
  const bool good = parse_number(std::string_view(text).substr(0, comma), sizes.blocks) &&
                    (one || parse_number(text.substr(comma + 1), sizes.single_blocks));
  check(good && sizes.blocks > 0 && (one || sizes.single_blocks > 0), ErrorCode::kUsage,
        "--blocks: \"", text, "\" is not a number of blocks, or two such as 19,38");
}

class SynthCommand final : public Command {
 public:
  void declare(Options& options, Settings&) override {
    options.group("Model");
    std::string families = "one of";
    for (const SynthFamily& family : synth_families())
      families += concat_text("\n  ", family.name, ": ", family.description);
    options.add("FAMILY", family_, "FAMILY", families);
    std::string formats;
    for (const std::string_view format : synth_formats())
      formats.append(formats.empty() ? "" : ", ").append(format);
    options.add("--blocks", blocks_, "D,S", "how many; else as in the public checkpoint");
    options.add("--format", format_, "F", "of the matrices inside blocks: " + formats);
    options.add("--hidden", hidden_, "N", "width; 0: as in the public checkpoint");
    options.add("--with-guidance", sizes_.guidance, "with distilled guidance, as FLUX.1 dev");
    options.add("--seed", seed_, "N", "of the weights");
    options.add("-o,--out", out_, "FILE", "safetensors, or GGUF for its formats");
    options.add("--force", force_, "replace a file that exists");
  }

  void run(const Options&, const Settings& settings) override {
    const SynthFamily& family = find_named("family", family_, synth_families());
    check(!out_.empty(), ErrorCode::kUsage, "synth: needs -o FILE");
    check(force_ || !std::filesystem::exists(out_), ErrorCode::kUsage, out_,
          ": exists already; --force replaces it");
    if (!blocks_.empty()) parse_blocks(blocks_, sizes_);
    sizes_.hidden = static_cast<Dim>(hidden_);
    run_settings(engine_options(settings));  // checks and sets the number of threads

    const auto start = std::chrono::steady_clock::now();
    const std::vector<SynthTensor> tensors =
        is_gguf(format_) ? gguf_tensors(family, sizes_) : family.tensors(sizes_);
    write_synth(out_, tensors, format_, seed_, settings.cancel);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!settings.quiet) tell(tensors.size(), seconds, settings.json);
  }

 private:
  void tell(size_t tensors, double seconds, bool json) const {
    const uint64_t bytes = std::filesystem::file_size(out_);
    if (json)
      std::cout << nlohmann::ordered_json({{"out", out_},
                                           {"family", family_},
                                           {"format", format_},
                                           {"tensors", tensors},
                                           {"bytes", bytes},
                                           {"seconds", seconds}})
                       .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
                << "\n";
    else
      std::cout << out_ << ": " << family_ << " in " << format_ << ", " << tensors
                << " tensors of random weights, " << format_bytes(bytes) << "\n";
  }

  SynthSizes sizes_;
  std::string family_, blocks_, format_ = "bf16", out_;
  uint64_t hidden_ = 0, seed_ = 0;
  bool force_ = false;
};

}  // namespace

const CommandEntry kSynthCommand{
    "synth", "write a model of random weights, with the real names and shapes",
    "  tintype synth flux1 --blocks 2,4 --format int8-convrot --seed 1 -o flux24.safetensors\n"
    "  tintype synth t5xxl --format q5_k -o t5.gguf\n",
    make_command<SynthCommand>, /*stops=*/true};

}  // namespace tintype
