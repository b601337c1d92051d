#include "base/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/error.h"

namespace tintype {
namespace {

char lower(char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Levenshtein's distance, one row of the table at a time.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  std::string_view best;
  size_t fewest = 0;
  for (const std::string_view candidate : candidates) {
    const size_t edits = edit_distance(name, candidate);
    if (edits > candidate.size() / 2 || (!best.empty() && edits >= fewest)) continue;
    best = candidate;
    fewest = edits;
  }
  return best;
}

void fail_unknown_name(std::string_view what, std::string_view name,
                       std::span<const std::string_view> candidates) {
  std::string known;
  for (const std::string_view candidate : candidates)
    known.append(known.empty() ? "" : ", ").append(candidate);
  const std::string_view near = nearest_name(name, candidates);
  throw Error(ErrorCode::kUsage,
              concat_text(what, ": \"", name, "\" is unknown, needs one of ", known),
              near.empty() ? std::string() : concat_text("did you mean ", near, "?"));
}

}  // namespace tintype
