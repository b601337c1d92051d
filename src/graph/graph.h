// A graph of operations whose shapes and types are all known before anything runs.
//
// A Tensor is a handle (node, output index), cheap to copy, and lives as long as its Graph. Nodes
// are hash-consed: the same operation on the same inputs with the same attributes is the same node,
// so writing an expression twice costs nothing.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/op.h"
#include "tensor/parameter.h"

namespace tintype {

class Graph;
struct Node;

struct TensorType {
  DType dtype = DType::kF32;
  Shape shape;
  bool operator==(const TensorType&) const = default;
};

class Tensor {
 public:
  Tensor() = default;
  Tensor(const Node* node, int output) : node_(node), output_(output) {}

  explicit operator bool() const { return node_ != nullptr; }
  const Node& node() const { return *node_; }
  int output() const { return output_; }
  Graph& graph() const;
  const TensorType& type() const;
  const Shape& shape() const { return type().shape; }
  DType dtype() const { return type().dtype; }
  int rank() const { return shape().rank(); }
  Dim dim(int axis) const { return shape()[axis < 0 ? axis + rank() : axis]; }  // -1: the last
  bool operator==(const Tensor&) const = default;

 private:
  const Node* node_ = nullptr;
  int output_ = 0;
};

// How often a value changes. Nodes that depend on job inputs alone run once per job; the others run
// once per step.
enum class Rate : uint8_t { kJob, kStep };

struct Node {
  Graph* graph = nullptr;
  int id = 0;  // inputs have smaller ids
  Op op = Op::kInput;
  std::vector<Tensor> inputs{};
  Attrs attrs{};
  std::vector<RowSlice> weight{};  // of kWeight, kLinear, kInt8Linear, kEmbedding and kConv2d
  std::vector<TensorType> outputs{};
  Rate rate = Rate::kJob;
  std::string layer{};  // the module that the node belongs to, for people

  template <class A>
  const A& attr() const {
    return std::get<A>(attrs);
  }
};

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

class Graph {
 public:
  // `activation` is the float type that intermediate values are stored in.
  explicit Graph(DType activation = DType::kF32) : activation_(activation) {}
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  DType activation() const { return activation_; }

  Tensor input(const std::string& name, const Shape& shape, DType dtype, Rate rate);
  Tensor constant(Array value);
  void output(const std::string& name, Tensor value);  // delivered as f32, dense

  // The node that is described, made if there is none yet; its first output. `node.graph`, `id`,
  // `rate` and, if empty, `layer` are filled in here.
  Tensor node(Node node);

  const std::deque<Node>& nodes() const { return nodes_; }
  const std::vector<NamedTensor>& inputs() const { return inputs_; }
  const std::vector<NamedTensor>& outputs() const { return outputs_; }

 private:
  DType activation_;
  std::deque<Node> nodes_;  // stable addresses
  std::unordered_multimap<size_t, const Node*> known_;
  std::vector<NamedTensor> inputs_, outputs_;
};

}  // namespace tintype
