// A File whose bytes are in memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/os.h"

namespace tintype::test {

class MemoryFile final : public File {
 public:
  MemoryFile(std::string path, std::vector<std::byte> bytes)
      : File(std::move(path), {}), storage_(std::move(bytes)) {
    bytes_ = storage_;
  }

 private:
  std::vector<std::byte> storage_;
};

inline std::shared_ptr<const File> memory_file(std::vector<std::byte> bytes,
                                               std::string path = "FILE") {
  return std::make_shared<MemoryFile>(std::move(path), std::move(bytes));
}

}  // namespace tintype::test
