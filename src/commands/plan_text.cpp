#include "commands/plan_text.h"

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "commands/byte_sizes.h"

namespace tintype {
namespace {

using Json = nlohmann::ordered_json;

Json component_json(const ComponentReport& c) {
  return {{"role", c.role},
          {"family", c.family},
          {"file", c.file},
          {"file_bytes", c.file_bytes},
          {"header_sha256", c.header_hash},
          {"prefix", c.prefix},
          {"layout", c.layout},
          {"formats", c.formats},
          {"tensors_used", c.tensors_used},
          {"unused", c.unused},
          {"tokenizer", c.tokenizer},
          {"kernels", c.kernels},
          {"weight_bytes", c.weight_bytes},
          {"arena_bytes", c.arena_bytes},
          {"prepared_bytes", c.prepared_bytes},
          {"pinned_bytes", c.pinned_bytes},
          {"window_bytes", c.window_bytes},
          {"seconds", c.seconds}};
}

void print_line(std::ostream& out, const char* what, const std::string& text) {
  out << "    " << std::left << std::setw(11) << what << text << "\n";
}

void print_component(std::ostream& out, const ComponentReport& c) {
  out << "  " << c.role << ": " << c.family;
  if (c.seconds > 0) out << ", " << std::fixed << std::setprecision(2) << c.seconds << " s";
  out << std::defaultfloat << "\n";
  print_line(out, "file",
             concat_text(c.file, ", ", format_bytes(c.file_bytes), ", ", c.layout, " names",
                         c.prefix.empty() ? "" : " below ", c.prefix));
  print_line(out, "weights", counts_text(c.formats) + "; " + format_bytes(c.weight_bytes));
  if (!c.unused.empty())
    print_line(
        out, "unused",
        concat_text(c.unused.size(), " tensors, ", c.unused[0], c.unused.size() > 1 ? " …" : ""));
  if (!c.tokenizer.empty()) print_line(out, "tokenizer", c.tokenizer);
  print_line(out, "routes", counts_text(c.kernels));
}

// Where the memory of a component goes, in a line.
std::string memory_text(const ComponentReport& c) {
  return concat_text("values ", format_bytes(c.arena_bytes), ", kept by kernels ",
                     format_bytes(c.prepared_bytes), ", weights kept ",
                     format_bytes(c.pinned_bytes), ", window ", format_bytes(c.window_bytes));
}

}  // namespace

std::string counts_text(const std::map<std::string, size_t>& counts) {
  std::vector<std::pair<std::string, size_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::greater{}, &std::pair<std::string, size_t>::second);
  std::string text;
  for (const auto& [name, count] : sorted)
    text += concat_text(text.empty() ? "" : ", ", name, " ", count);
  return text;
}

void print_components(std::ostream& out, const PlanReport& report) {
  for (const ComponentReport& c : report.components) print_component(out, c);
}

void print_plan(std::ostream& out, const PlanReport& report) {
  out << report.width << "x" << report.height << ", " << report.steps << " steps, shift "
      << report.shift << ", guidance " << report.guidance << "; computes in " << report.compute
      << " with " << report.isa << "\n";
  print_components(out, report);
  out << "  memory\n";
  for (const ComponentReport& c : report.components)
    print_line(out, c.role == "text" ? c.family.c_str() : c.role.c_str(), memory_text(c));
  print_line(out, "process", format_bytes(report.fixed_bytes));
  print_line(out, "highest",
             concat_text(format_bytes(report.anonymous_bytes), " anonymous, ",
                         format_bytes(report.peak_bytes), " with weights"));
  if (report.streamed_bytes > 0)
    print_line(out, "streamed", format_bytes(report.streamed_bytes) + " read again in every step");
  for (const std::string& notice : report.notices) out << "  note: " << notice << "\n";
}

std::string plan_json(const PlanReport& report) {
  Json root = {{"width", report.width},
               {"height", report.height},
               {"steps", report.steps},
               {"shift", report.shift},
               {"guidance", report.guidance},
               {"compute", report.compute},
               {"isa", report.isa},
               {"fixed_bytes", report.fixed_bytes},
               {"anonymous_bytes", report.anonymous_bytes},
               {"peak_bytes", report.peak_bytes},
               {"streamed_bytes", report.streamed_bytes},
               {"notices", report.notices}};
  root["components"] = Json::array();
  for (const ComponentReport& c : report.components)
    root["components"].push_back(component_json(c));
  return root.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

}  // namespace tintype
