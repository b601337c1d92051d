#include "sampling/schedules.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <ostream>

#include "base/error.h"
#include "base/nearest_name.h"
#include "sampling/beta_quantile.h"

namespace tintype {
namespace {

// Beyond these the levels of a table run into each other.
constexpr double kMinAlpha = 0.01, kMaxAlpha = 100;

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), value);
  if (error != std::errc() || end != text.end()) return std::nullopt;
  return value;
}

// `count` points from `from` to `to`, both included; counted from the nearer end, as
// torch.linspace.
std::vector<float> linspace(float from, float to, int count) {
  std::vector<float> points(static_cast<size_t>(count), from);
  const float step = count > 1 ? (to - from) / static_cast<float>(count - 1) : 0;
  for (int i = 1; i < count; ++i) {
    const int left = count - 1 - i;
    points[static_cast<size_t>(i)] =
        i < count / 2 ? from + step * static_cast<float>(i) : to - step * static_cast<float>(left);
  }
  return points;
}

// Every (table size / steps)-th level from the top.
std::vector<float> simple(const SigmaTable& table, int steps) {
  const double stride = static_cast<double>(table.sigmas.size()) / steps;
  std::vector<float> sigmas;
  for (int i = 0; i < steps; ++i)
    sigmas.push_back(table.sigmas.end()[-1 - static_cast<int>(i * stride)]);
  sigmas.push_back(0);
  return sigmas;
}

// Even in the model's timestep. For flow models ComfyUI's timestep of a level is the level itself,
// so the shift applies twice at the lower end; that is kept, and so is that a lowest level of up to
// 1e-5 counts as 0.
std::vector<float> normal(const SigmaTable& table, int steps) {
  const bool reaches_zero = table.sigma(table.t_min) <= 1e-5f;
  std::vector<float> sigmas = linspace(table.t_max, table.t_min, reaches_zero ? steps + 1 : steps);
  std::ranges::transform(sigmas, sigmas.begin(), table.sigma);
  if (!reaches_zero) sigmas.push_back(0);
  return sigmas;
}

// Karras et al. 2022, "Elucidating the design space …", equation 5, rho = 7.
std::vector<float> karras(const SigmaTable& table, int steps) {
  constexpr double kRho = 7;
  const double low = std::pow(table.sigmas.front(), 1 / kRho);
  const double high = std::pow(table.sigmas.back(), 1 / kRho);
  std::vector<float> sigmas = linspace(0, 1, steps);
  for (float& s : sigmas) {
    const float root = static_cast<float>(high) + s * static_cast<float>(low - high);
    s = static_cast<float>(std::pow(root, kRho));
  }
  sigmas.push_back(0);
  return sigmas;
}

// Lee et al. 2024, "Beta sampling is all you need", alpha = beta = 0.6.
std::vector<float> beta(const SigmaTable& table, int steps) {
  const double last = static_cast<double>(table.sigmas.size() - 1);
  std::vector<float> sigmas;
  for (int i = 0; i < steps; ++i) {
    const double p = 1 - static_cast<double>(i) / steps;
    const float s = table.sigmas[static_cast<size_t>(std::rint(beta_quantile(p, 0.6, 0.6) * last))];
    if (sigmas.empty() || s != sigmas.back()) sigmas.push_back(s);
  }
  sigmas.push_back(0);
  return sigmas;
}

constexpr Scheduler kSchedulers[] = {
    {"simple", "evenly through the model's own levels", simple},
    {"normal", "even in the model's timestep", normal},
    {"karras", "even in the seventh root of sigma: many small steps at the end", karras},
    {"beta", "quantiles of a beta distribution: small steps at both ends", beta},
};

}  // namespace

Shift parse_shift(std::string_view text) {
  if (text == "auto") return {};
  if (text == "none") return kNoShift;
  if (text == "tokens") return {Shift::Kind::kTokens, 0};

  const bool is_mu = text.starts_with("mu=");
  const auto value = parse_number(is_mu ? text.substr(3) : text);
  check(value.has_value(), ErrorCode::kUsage, "shift: has \"", text,
        "\", needs auto, none, a factor, mu=X or tokens");
  const double alpha = is_mu ? std::exp(*value) : *value;
  check(kMinAlpha <= alpha && alpha <= kMaxAlpha, ErrorCode::kUsage, "shift: ", text,
        " is a factor of ", alpha, ", needs ", kMinAlpha, " to ", kMaxAlpha);
  return {is_mu ? Shift::Kind::kMu : Shift::Kind::kAlpha, *value};
}

std::ostream& operator<<(std::ostream& out, const Shift& shift) {
  if (shift.kind == Shift::Kind::kAuto) return out << "auto";
  if (shift.kind == Shift::Kind::kTokens) return out << "tokens";
  if (shift == kNoShift) return out << "none";
  std::array<char, 32> digits;  // as few as give the same double back
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), shift.value).ptr;
  return out << (shift.kind == Shift::Kind::kMu ? "mu=" : "")
             << std::string_view(digits.data(), end);
}

double mu_for_tokens(Dim tokens) {
  constexpr double kSlope = (1.15 - 0.5) / (4096 - 256);
  return 0.5 + kSlope * static_cast<double>(tokens - 256);
}

Shift settle(const Shift& asked, const Shift& model, Dim tokens) {
  const Shift& chosen = asked.kind == Shift::Kind::kAuto ? model : asked;
  TINTYPE_ASSERT(chosen.kind != Shift::Kind::kAuto);
  if (chosen.kind != Shift::Kind::kTokens) return chosen;
  return {Shift::Kind::kMu, std::min(mu_for_tokens(tokens), std::log(kMaxAlpha))};
}

SigmaTable eps_table() {
  constexpr int kLevels = 1000;
  const double first = std::sqrt(0.00085), last = std::sqrt(0.012);
  std::vector<float> sigmas, logs;
  double signal = 1;  // the product of 1 - beta
  for (int i = 0; i < kLevels; ++i) {
    const double root = first + (last - first) * i / (kLevels - 1);
    signal *= 1 - root * root;
    const double sigma = std::sqrt((1 - signal) / signal);
    sigmas.push_back(static_cast<float>(sigma));
    logs.push_back(static_cast<float>(std::log(sigma)));
  }
  const auto at = [logs](float t) {
    const float low = std::floor(t), w = t - low;
    const auto i = static_cast<size_t>(low), next = static_cast<size_t>(std::ceil(t));
    return static_cast<float>(std::exp(static_cast<double>((1 - w) * logs[i] + w * logs[next])));
  };
  return {sigmas, 0, kLevels - 1, at};
}

SigmaTable flow_table(const Shift& shift) {
  TINTYPE_ASSERT(shift.kind == Shift::Kind::kAlpha || shift.kind == Shift::Kind::kMu);
  SigmaTable table;
  int levels = 1000;
  if (shift.kind == Shift::Kind::kMu) {
    levels = 10000;
    const float a = static_cast<float>(std::exp(shift.value));
    table.sigma = [a](float t) { return a * (1 / (a + (1 / t - 1))); };
  } else {
    const float a = static_cast<float>(shift.value), b = static_cast<float>(shift.value - 1);
    table.sigma = [a, b](float t) { return a * t / (1 + b * t); };
  }
  for (int i = 1; i <= levels; ++i)
    table.sigmas.push_back(table.sigma(static_cast<float>(i) / static_cast<float>(levels)));
  table.t_min = table.sigmas.front();
  table.t_max = table.sigmas.back();
  return table;
}

std::vector<float> Scheduler::operator()(const SigmaTable& table, int steps) const {
  const size_t most = table.sigmas.size();
  check(steps >= 1 && static_cast<size_t>(steps) <= most, ErrorCode::kUsage, "steps: has ", steps,
        ", needs 1 to ", most);
  return rule(table, steps);
}

std::span<const Scheduler> schedulers() { return kSchedulers; }

const Scheduler& find_scheduler(std::string_view name) {
  return find_named("scheduler", name, schedulers());
}

}  // namespace tintype
