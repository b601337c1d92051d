#include "commands/name_lists.h"

#include <iomanip>
#include <span>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/nearest_name.h"
#include "formats/formats.h"
#include "sampling/samplers.h"
#include "sampling/schedules.h"

namespace tintype {
namespace {

struct Line {
  std::string_view name, description;
};

std::vector<Line> sampler_lines() {
  std::vector<Line> lines;
  for (const Sampler& s : samplers()) lines.push_back({s.name, s.description});
  return lines;
}

std::vector<Line> scheduler_lines() {
  std::vector<Line> lines;
  for (const Scheduler& s : schedulers()) lines.push_back({s.name, s.description});
  return lines;
}

std::vector<Line> format_lines() {
  std::vector<Line> lines;
  for (const Format* format : formats()) lines.push_back({format->name(), {}});
  return lines;
}

struct List {
  std::string_view name;
  std::vector<Line> (*lines)();
};
constexpr List kLists[] = {
    {"samplers", sampler_lines}, {"schedulers", scheduler_lines}, {"formats", format_lines}};

}  // namespace

void print_names(std::ostream& out, const std::string& what, bool json) {
  const std::vector<Line> lines = find_named("--list", what, std::span<const List>(kLists)).lines();
  if (json) {
    nlohmann::ordered_json names = nlohmann::ordered_json::array();
    for (const Line& line : lines) names.push_back(line.name);
    out << names.dump() << "\n";
    return;
  }
  for (const Line& line : lines)
    out << std::left << std::setw(line.description.empty() ? 0 : 12) << line.name
        << line.description << "\n";
}

}  // namespace tintype
