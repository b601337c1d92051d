// The tensors of a weight file with the routes that they would take.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "formats/weight_index.h"
#include "pipeline/stage.h"

namespace tintype {

struct LayerLine {
  std::string name;  // "*" stands for a number where `count` tensors are alike
  size_t count = 1;
  Shape shape;
  std::string format;     // "int8 convrot 256"
  uint64_t bytes = 0;     // of all of them
  std::string route;      // kernel of a product with many rows; empty if it is no matrix
  std::string row_route;  // and with one row
};

// One line per tensor, in the file's order of names.
std::vector<LayerLine> layer_lines(const WeightIndex& index, const RunSettings& settings);
// Lines that differ in the numbers of their names alone become one.
std::vector<LayerLine> abbreviated(const std::vector<LayerLine>& lines);
void print_layers(std::ostream& out, const std::vector<LayerLine>& lines);

}  // namespace tintype
