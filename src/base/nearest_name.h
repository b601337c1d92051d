// Tables looked up by name, where an unknown name is answered with what there is and what was
// probably meant.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace tintype {

// The candidate that the fewest single-character edits turn `name` into, ignoring case; empty if
// every one needs more edits than half of its length.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates);

// Throws kUsage: `sampler: "eulr" is unknown, needs one of euler, heun`, hint `did you mean
// euler?`.
[[noreturn]] void fail_unknown_name(std::string_view what, std::string_view name,
                                    std::span<const std::string_view> candidates);

// The entry of `table` whose member `name` is `name`; throws as fail_unknown_name does.
template <class Entry>
const Entry& find_named(std::string_view what, std::string_view name,
                        std::span<const Entry> table) {
  std::vector<std::string_view> names;
  for (const Entry& entry : table) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  fail_unknown_name(what, name, names);
}

}  // namespace tintype
