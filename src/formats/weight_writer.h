// Streams a weight file to disk: the header at once, then the bytes of each tensor as they are
// made, so that no more than a piece of a tensor is ever in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/os.h"
#include "tensor/shape.h"

namespace tintype {

// A tensor as the header announces it.
struct TensorEntry {
  std::string name;
  std::string type;  // of the container: "F32", "I8", "Q5_K"
  Shape shape;       // outermost axis first
};

class WeightWriter {
 public:
  // `sizes`: bytes of each tensor. Each is padded with zeros to a multiple of `alignment`.
  WeightWriter(const std::string& path, bool replace, std::span<const std::byte> header,
               std::vector<uint64_t> sizes, uint64_t alignment);

  // The next bytes of the tensor that is not complete yet, in the order of the entries.
  void write(std::span<const std::byte> bytes);
  // Makes the file appear under its name; all tensors are complete.
  void commit();

 private:
  NewFile file_;
  std::vector<uint64_t> sizes_;
  uint64_t alignment_;
  size_t tensor_ = 0;     // the one being written
  uint64_t written_ = 0;  // bytes of it
};

}  // namespace tintype
