// Whole texts as numbers, whatever the locale: "12", "-0.5", "1e3"; false for anything else.
#pragma once

#include <cstdint>
#include <string_view>

namespace tintype {

bool parse_number(std::string_view text, int& value);
bool parse_number(std::string_view text, int64_t& value);
bool parse_number(std::string_view text, uint64_t& value);
bool parse_number(std::string_view text, double& value);  // finite

}  // namespace tintype
