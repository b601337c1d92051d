// Normal random numbers that depend on nothing but seed, name and position, so that any part of a
// tensor can be made by any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tintype {

class NormalValues {
 public:
  NormalValues(uint64_t seed, std::string_view name, float mean, float sigma);

  // Values first, first + 1 … of the endless sequence.
  void fill(size_t first, std::span<float> out) const;

 private:
  uint64_t key_;
  float mean_, sigma_;
};

}  // namespace tintype
