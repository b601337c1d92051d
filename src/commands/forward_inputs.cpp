#include <algorithm>

#include "base/error.h"
#include "commands/forward_parts.h"

namespace tintype {

const Array& input_array(const NamedArrays& in, const std::string& name, int rank) {
  const auto found = in.find(name);
  check(found != in.end(), ErrorCode::kUsage, "--in: has no tensor ", name);
  const Array& array = found->second;
  check(array.dtype() == DType::kF32, ErrorCode::kUsage, "--in: ", name, " is ", array.dtype(),
        ", needs f32");
  check(array.shape().rank() == rank && array.elements() > 0, ErrorCode::kUsage, "--in: ", name,
        " has shape ", array.shape(), ", needs ", rank, " axes, none of them empty");
  return array;
}

void refuse_unknown_inputs(const NamedArrays& in, std::span<const std::string> known) {
  for (const auto& [name, array] : in)
    check(std::ranges::find(known, name) != known.end(), ErrorCode::kUsage, "--in: ", name,
          " is no input of this part");
}

void check_inputs(const NamedArrays& in, const Graph& graph) {
  std::vector<std::string> known;
  for (const NamedTensor& input : graph.inputs()) {
    known.push_back(input.name);
    const auto found = in.find(input.name);
    check(found != in.end(), ErrorCode::kUsage, "--in: has no tensor ", input.name, ", needs ",
          input.tensor.dtype(), " ", input.tensor.shape());
    const Array& array = found->second;
    check(array.dtype() == input.tensor.dtype() && array.shape() == input.tensor.shape(),
          ErrorCode::kUsage, "--in: ", input.name, " is ", array.dtype(), " ", array.shape(),
          ", needs ", input.tensor.dtype(), " ", input.tensor.shape());
  }
  refuse_unknown_inputs(in, known);
}

NamedArrays run_graph(std::unique_ptr<Graph> graph, const NamedArrays& in, const ForwardJob& job) {
  check_inputs(in, *graph);
  return Stage(std::move(graph), job.run).run(in, job.control);
}

}  // namespace tintype
