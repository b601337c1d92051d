// Where pictures go: named files that never replace others unasked, or standard output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tintype {

class PictureOutput {
 public:
  // `option` is -o: a file, a folder, "-", or empty for tintype-SEED.png here. With several
  // pictures the seed becomes part of a file's name. Throws kUsage for what cannot be.
  PictureOutput(std::string option, bool replace, bool several);

  bool standard() const { return option_ == "-"; }

  // Throws what writing `bytes` bytes for this seed would throw: no such folder, no permission, no
  // space. Leaves nothing behind.
  void probe(uint64_t seed, size_t bytes) const;

  // Returns the path: the one that was asked for, or the next free one.
  std::string write(uint64_t seed, std::span<const std::byte> bytes) const;

  // The path that was asked for.
  std::string wanted(uint64_t seed) const;

 private:
  std::string option_;
  bool replace_, several_;
};

// `path`, or NAME-2.EXT, NAME-3.EXT …: the first that does not exist.
std::string next_free(const std::string& path);

}  // namespace tintype
