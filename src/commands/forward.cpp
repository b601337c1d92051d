#include <filesystem>
#include <iostream>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/nearest_name.h"
#include "commands/commands.h"
#include "commands/forward_parts.h"
#include "commands/numbers.h"
#include "engine/settings.h"
#include "formats/arrays.h"

namespace tintype {
namespace {

constexpr ForwardPart kParts[] = {
    {"denoiser", "x, timestep, context, y[, guidance] -> out", true, true, forward_denoiser},
    {"text-encoder", "tokens, or --text -> hidden, pooled, tokens", true, true,
     forward_text_encoder},
    {"vae-decode", "latent -> image", true, true, forward_vae_decode},
    {"vae-encode", "image -> latent", true, true, forward_vae_encode},
    {"linear", "x -> y, through --layer", true, true, forward_linear},
    {"weight", "-> weight, of --layer", true, false, forward_weight},
    {"sampler", "x, mean, var[, sigmas] -> out, sigmas, trajectory", false, true, forward_sampler},
    {"noise", "-> noise, of --seed and --shape", false, false, forward_noise},
};

// A negative seed is its two's complement, as in PyTorch.
uint64_t signed_seed(const std::string& text) {
  int64_t value = 0;
  uint64_t seed = 0;
  if (text.starts_with('-') && parse_number(text, value)) return static_cast<uint64_t>(value);
  parse_value("--seed", text, seed);
  return seed;
}

class ForwardCommand final : public Command {
 public:
  void declare(Options& options, Settings& settings) override {
    options.group("Part");
    std::string parts = "one of";
    for (const ForwardPart& part : kParts)
      parts += concat_text("\n  ", part.name, ": ", part.description);
    options.add("WHAT", what_, "WHAT", parts);
    options.add("FILE", job_.files, "FILE", "weight files; none for sampler and noise");
    options.add("--in", in_, "A.safetensors", "tensors to run on");
    options.add("--out", out_, "B.safetensors", "where the results go");
    options.add("--layer", job_.layer, "NAME", "as in the file, without .weight");
    options.add("--text", job_.text, "TEXT", "instead of --in; framed as generate does");
    options.add("--t5-length", job_.t5_length, "N", "tokens to pad --text to, for T5");
    options.group("Sampling");
    options.add("--sampler", job_.sampler, "NAME", "see generate --list samplers");
    options.add("--scheduler", job_.scheduler, "NAME", "see generate --list schedulers");
    options.add("--steps", job_.steps, "N", "unless --in has sigmas");
    options.add("--shift", job_.shift, "none|ALPHA|mu=X|tokens", "of flow models' noise levels");
    options.add("--prediction", job_.prediction, "eps|flow", "of the Gaussian denoiser");
    options.add("--seed", seed_, "N", "of the noise");
    options.add("--shape", job_.shape, "B,C,h,w", "of the noise");
    options.add("--rng", job_.rng, "cpu|nv", "of the noise");
    declare_engine(options, settings);
  }

  void run(const Options& options, const Settings& settings) override {
    const ForwardPart& part = find_part();
    check(!out_.empty(), ErrorCode::kUsage, "--out is missing: where the results should go");
    check(part.takes_files != job_.files.empty(), ErrorCode::kUsage, "forward ", part.name,
          part.takes_files ? ": needs a weight file" : ": takes no weight file");
    const bool in_given = options.given("--in");
    job_.has_text = options.given("--text");
    check(in_given ? part.takes_in : !part.takes_in || job_.has_text, ErrorCode::kUsage, "forward ",
          part.name, in_given ? ": takes no --in" : ": needs --in");
    check(!job_.has_text || part.name == "text-encoder", ErrorCode::kUsage, "forward ", part.name,
          ": takes no --text");
    for (const std::string& file : job_.files) refuse_to_replace(file);
    if (in_given) job_.in = read_arrays(in_);
    job_.seed = signed_seed(seed_);

    const EngineOptions engine = engine_options(settings);
    job_.run = run_settings(engine);
    job_.run.plan.budget = engine.budget;
    job_.load = load_mode(engine);
    job_.control.cancel = settings.cancel;
    job_.quiet = settings.quiet;
    const NamedArrays results = part.run(job_);
    write_file(out_, write_arrays(results));
    if (!settings.quiet) tell(results, settings.json);
  }

 private:
  // Splits "text-encoder:t5xxl".
  const ForwardPart& find_part() {
    const size_t colon = what_.find(':');
    const ForwardPart& part =
        find_named("part", what_.substr(0, colon), std::span<const ForwardPart>(kParts));
    if (colon != std::string::npos) job_.choice = what_.substr(colon + 1);
    check(job_.choice.empty() || part.name == "text-encoder", ErrorCode::kUsage, "forward ", what_,
          ": only text-encoder has a choice, clip_l or t5xxl");
    return part;
  }

  void refuse_to_replace(const std::string& file) const {
    std::error_code none;
    check(!std::filesystem::equivalent(out_, file, none), ErrorCode::kUsage, "--out ", out_,
          ": is one of the weight files, and would replace it");
  }

  void tell(const NamedArrays& results, bool json) const {
    nlohmann::ordered_json shapes;
    for (const auto& [name, array] : results) {
      const auto dims = array.shape().dims();
      shapes[name] = std::vector<Dim>(dims.begin(), dims.end());
      if (!json) std::cout << out_ << ": " << name << " " << array.shape() << "\n";
    }
    if (!json) return;
    std::cout << nlohmann::ordered_json({{"out", out_},
                                         {"shapes", shapes},
                                         {"compute", name(job_.run.compute)},
                                         {"isa", name(job_.run.facts.isa)}})
                     .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
              << "\n";
  }

  ForwardJob job_;
  std::string what_, in_, out_, seed_ = "0";
};

}  // namespace

const CommandEntry kForwardCommand{
    "forward", "run one part of a model on given tensors",
    "  tintype forward denoiser flux.safetensors --in x.safetensors --out y.safetensors\n"
    "  tintype forward text-encoder:t5xxl all.safetensors --text \"a star\" --out t.safetensors\n"
    "  tintype forward weight flux.gguf --layer img_in --out w.safetensors\n"
    "  tintype forward noise --seed 7 --shape 1,16,64,64 --out n.safetensors\n",
    make_command<ForwardCommand>, /*stops=*/true};

}  // namespace tintype
