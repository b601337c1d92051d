// A plan, or what a finished job reports, for people and for programs.
#pragma once

#include <iosfwd>
#include <string>

#include "tintype/engine.h"

namespace tintype {

// What runs: a paragraph per component with its file, formats and routes.
void print_components(std::ostream& out, const PlanReport& report);
// The above, with memory and notices.
void print_plan(std::ostream& out, const PlanReport& report);

// The whole report as one JSON object.
std::string plan_json(const PlanReport& report);

// "bf16 412, int8 304": the entries of a count, the most frequent first.
std::string counts_text(const std::map<std::string, size_t>& counts);

}  // namespace tintype
