// From a number of steps to the noise levels that a sampler visits: sigma tables, the shift of flow
// models, and schedulers. Names and rules are ComfyUI's.
#pragma once

#include <functional>
#include <iosfwd>
#include <span>
#include <string_view>
#include <vector>

#include "tensor/shape.h"

namespace tintype {

// How a flow model's uniform times t in (0, 1] become noise levels a*t / (1 + (a-1)*t), a = e^mu.
struct Shift {
  enum class Kind {
    kAuto,    // what suits the model
    kAlpha,   // a = value
    kMu,      // mu = value
    kTokens,  // mu from the number of image tokens
  };
  Kind kind = Kind::kAuto;
  double value = 0;

  bool operator==(const Shift&) const = default;
};

inline constexpr Shift kNoShift{Shift::Kind::kAlpha, 1};

// "auto", "none", "3", "mu=1.15" or "tokens"; throws kUsage on anything else. operator<< writes
// what parse_shift reads.
Shift parse_shift(std::string_view text);
std::ostream& operator<<(std::ostream& out, const Shift& shift);

// mu at a number of image tokens: on the line through 0.5 at 256 and 1.15 at 4096, as in Black
// Forest Labs' and diffusers' pipelines.
double mu_for_tokens(Dim tokens);

// `asked` as kAlpha or kMu. kAuto takes `model`'s, which may be kTokens but not kAuto.
Shift settle(const Shift& asked, const Shift& model, Dim tokens);

// The noise levels that a model knows.
struct SigmaTable {
  std::vector<float> sigmas;  // ascending
  float t_min, t_max;         // timesteps of the first and the last
  std::function<float(float t)> sigma;
};

// Stable Diffusion's 1000 levels, 0.0292 .. 14.6146; timesteps are indices.
SigmaTable eps_table();
// Levels up to 1, as many as ComfyUI has: 1000 for kAlpha, 10000 for kMu. `shift` is settled.
SigmaTable flow_table(const Shift& shift);

struct Scheduler {
  std::string_view name, description;
  // Descending noise levels, the last one 0 (of `normal`, up to 1e-5): steps + 1 of them, except
  // that `beta` drops repeats.
  std::vector<float> (*rule)(const SigmaTable& table, int steps);

  // Checks steps against the table (kUsage), then applies the rule.
  std::vector<float> operator()(const SigmaTable& table, int steps) const;
};

std::span<const Scheduler> schedulers();
const Scheduler& find_scheduler(std::string_view name);  // throws kUsage

}  // namespace tintype
