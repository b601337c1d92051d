#include <algorithm>

#include "base/error.h"
#include "base/nearest_name.h"
#include "commands/forward_parts.h"
#include "formats/weight_index.h"
#include "graph/ops.h"

namespace tintype {
namespace {

constexpr std::string_view kLeaf = ".weight";

// A layer by the file's own name, with the index that owns it.
struct FoundLayer {
  std::shared_ptr<const WeightIndex> index;
  const Parameter* weight = nullptr;
};

[[noreturn]] void fail_unknown_layer(const ForwardJob& job,
                                     const std::vector<FoundLayer>& searched) {
  std::vector<std::string_view> names;
  for (const FoundLayer& file : searched)
    for (const auto& [name, parameter] : file.index->parameters)
      if (name.ends_with(kLeaf))
        names.push_back(std::string_view(name).substr(0, name.size() - kLeaf.size()));
  const std::string_view near = nearest_name(job.layer, names);
  throw Error(
      ErrorCode::kUsage,
      concat_text("--layer ", job.layer, ": ", job.files[0],
                  job.files.size() > 1 ? " and the other files have" : " has", " no such layer"),
      near.empty() ? "tintype inspect lists them" : concat_text("did you mean ", near, "?"));
}

FoundLayer find_layer(const ForwardJob& job) {
  check(!job.layer.empty(), ErrorCode::kUsage, "--layer is missing");
  std::vector<FoundLayer> searched;
  FoundLayer found;
  for (const std::string& path : job.files) {
    FoundLayer& file = searched.emplace_back();
    file.index = read_weights(path, job.load);
    file.weight = file.index->find(job.layer + std::string(kLeaf));
    if (file.weight == nullptr) continue;
    check(found.weight == nullptr, ErrorCode::kUsage, "--layer ", job.layer, ": is in ", path,
          " and in another file; name only one of them");
    found = file;
  }
  if (found.weight == nullptr) fail_unknown_layer(job, searched);
  return found;
}

std::vector<RowSlice> whole(const Parameter& p) { return {{&p, 0, p.rows()}}; }

}  // namespace

NamedArrays forward_weight(const ForwardJob& job) {
  const FoundLayer layer = find_layer(job);
  NamedArrays out;
  out.emplace("weight", Array(layer.weight->shape, decode(*layer.weight)));
  return out;
}

NamedArrays forward_linear(const ForwardJob& job) {
  const FoundLayer layer = find_layer(job);
  const Parameter& weight = *layer.weight;
  check(weight.shape.rank() == 2, ErrorCode::kUsage, "--layer ", job.layer, ": has shape ",
        weight.shape, ", needs a matrix to be a linear layer");
  const Shape x = input_array(job.in, "x", 2).shape();
  check(x[1] == weight.cols(), ErrorCode::kUsage, "--in: x has ", x[1], " columns, ", job.layer,
        " needs ", weight.cols());

  auto graph = std::make_unique<Graph>(job.run.compute);
  Tensor shift;
  if (const Parameter* bias = layer.index->find(job.layer + ".bias")) {
    check(bias->shape == Shape{weight.rows()}, ErrorCode::kBadFile, layer.index->path(), ": ",
          bias->name, " has shape ", bias->shape, ", needs [", weight.rows(), "]");
    shift = tintype::weight(*graph, whole(*bias), bias->shape, job.layer);
  }
  const Tensor in = graph->input("x", x, DType::kF32, Rate::kStep);
  graph->output("y", linear(cast(in, job.run.compute), whole(weight), shift, job.layer));
  return run_graph(std::move(graph), job.in, job);
}

}  // namespace tintype
