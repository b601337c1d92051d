// Named tensors: what a model is given. Optional ones (guidance, residuals of a ControlNet) are
// simply absent.
#pragma once

#include <map>
#include <string>

#include "base/error.h"
#include "graph/graph.h"

namespace tintype {

class Inputs {
 public:
  Inputs(std::initializer_list<std::pair<const std::string, Tensor>> tensors) : tensors_(tensors) {}
  Inputs() = default;

  void add(const std::string& name, Tensor t) { tensors_[name] = t; }
  // An empty tensor if there is none of that name.
  Tensor find(const std::string& name) const {
    const auto it = tensors_.find(name);
    return it == tensors_.end() ? Tensor{} : it->second;
  }
  Tensor at(const std::string& name) const {
    const Tensor t = find(name);
    check(static_cast<bool>(t), ErrorCode::kUsage, "input ", name, " is missing");
    return t;
  }

 private:
  std::map<std::string, Tensor> tensors_;
};

}  // namespace tintype
