#include "commands/layer_table.h"

#include <algorithm>
#include <iomanip>
#include <map>
#include <tuple>

#include "base/error.h"
#include "commands/byte_sizes.h"
#include "formats/formats.h"
#include "graph/ops.h"

namespace tintype {
namespace {

constexpr Dim kManyRows = 256;

// The kernel that multiplies [rows, K] with this weight.
std::string route(const Parameter& weight, Dim rows, const RunSettings& settings) {
  Graph graph(settings.compute);
  const Tensor x = graph.input("x", {rows, weight.cols()}, settings.compute, Rate::kStep);
  graph.output("y", linear(x, {{&weight, 0, weight.rows()}}, {}, weight.name));
  const Plan plan = lower(graph, *settings.backend, settings.facts, settings.plan);
  for (const Step& step : plan.steps)
    if (step.node->op == Op::kLinear || step.node->op == Op::kInt8Linear)
      return std::string(step.kernel->id);
  return {};
}

// Asks once for all weights that are alike.
class Routes {
 public:
  explicit Routes(const RunSettings& settings) : settings_(settings) {}

  const std::pair<std::string, std::string>& of(const Parameter& weight) {
    auto& known = known_[{describe(weight), weight.weight_only, weight.rows(), weight.cols()}];
    if (known.first.empty())
      known = {route(weight, kManyRows, settings_), route(weight, 1, settings_)};
    return known;
  }

 private:
  const RunSettings& settings_;
  std::map<std::tuple<std::string, bool, Dim, Dim>, std::pair<std::string, std::string>> known_;
};

// "double_blocks.12.img_mod" -> "double_blocks.*.img_mod"
std::string without_numbers(const std::string& name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool digit = name[i] >= '0' && name[i] <= '9';
    const bool starts = i == 0 || name[i - 1] == '.';
    const size_t end = digit && starts ? name.find_first_not_of("0123456789", i) : i;
    const bool number = end != i && (end == std::string::npos || name[end] == '.');
    out += number ? '*' : name[i];
    if (number) i = std::min(end, name.size()) - 1;
  }
  return out;
}

}  // namespace

std::vector<LayerLine> layer_lines(const WeightIndex& index, const RunSettings& settings) {
  Routes routes(settings);
  std::vector<LayerLine> lines;
  for (const auto& [name, weight] : index.parameters) {
    LayerLine line{name, 1, weight.shape, describe(weight), weight.stored_bytes(), {}, {}};
    if (weight.shape.rank() == 2 && weight.shape.elements() > 0)
      std::tie(line.route, line.row_route) = routes.of(weight);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<LayerLine> abbreviated(const std::vector<LayerLine>& lines) {
  std::vector<LayerLine> out;
  for (const LayerLine& line : lines) {
    const std::string name = without_numbers(line.name);
    const auto twin = std::ranges::find_if(out, [&](const LayerLine& other) {
      return other.name == name && other.shape == line.shape && other.format == line.format;
    });
    if (twin == out.end()) {
      out.push_back(line);
      out.back().name = name;
    } else {
      ++twin->count;
      twin->bytes += line.bytes;
    }
  }
  // A number that nothing else differs in stays.
  for (LayerLine& line : out)
    if (line.count == 1)
      line.name = std::ranges::find_if(lines, [&](const LayerLine& other) {
                    return without_numbers(other.name) == line.name && other.shape == line.shape &&
                           other.format == line.format;
                  })->name;
  return out;
}

void print_layers(std::ostream& out, const std::vector<LayerLine>& lines) {
  size_t name_width = 0, shape_width = 0, format_width = 0;
  for (const LayerLine& line : lines) {
    name_width = std::max(name_width, line.name.size());
    shape_width = std::max(shape_width, concat_text(line.shape).size());
    format_width = std::max(format_width, line.format.size());
  }
  for (const LayerLine& line : lines) {
    out << "  " << std::left << std::setw(static_cast<int>(name_width)) << line.name << "  "
        << std::right << std::setw(4) << line.count << " x " << std::left
        << std::setw(static_cast<int>(shape_width)) << concat_text(line.shape) << "  "
        << std::setw(static_cast<int>(format_width)) << line.format << "  " << std::right
        << std::setw(9) << format_bytes(line.bytes);
    if (!line.route.empty()) out << "  " << line.route;
    if (line.row_route != line.route) out << " (one row: " << line.row_route << ")";
    out << "\n";
  }
}

}  // namespace tintype
