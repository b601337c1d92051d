// How the names in a file relate to the names that model code uses. Tables of data; whole
// parameters are renamed, so a scale or marker can never be left behind.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tintype {

// Rows of a stored module: number `part` of `parts` equal ranges.
struct KeySource {
  std::string name;
  int part = 0, parts = 1;
};

// The logical module `logical` is made of `sources`, one below the other. "{}" stands for a number,
// "*" at the end for the rest of the name.
struct KeyRule {
  std::string logical;
  std::vector<KeySource> sources;
};

// One way to name the tensors of a component. A module without a rule keeps its name.
struct NameLayout {
  std::string_view name;           // "diffusers"
  std::vector<std::string> needs;  // stored tensors that tell this layout from others
  std::vector<KeyRule> rules;
  std::vector<std::string_view> ignored{};  // name beginnings that other programs use, not we
};

struct StoredRows {
  std::string module;
  int part = 0, parts = 1;
};

// The stored modules of logical module `module`.
std::vector<StoredRows> stored_rows(std::span<const KeyRule> rules, std::string_view module);

}  // namespace tintype
