#include "commands/picture_output.h"

#include <cstdio>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/os.h"

namespace tintype {
namespace {

namespace fs = std::filesystem;

std::string inserted(const std::string& path, const std::string& suffix) {
  fs::path changed(path);
  changed.replace_filename(changed.stem().string() + "-" + suffix + changed.extension().string());
  return changed.string();
}

bool is_device(const std::string& path) { return fs::is_other(fs::status(path)); }

void write_standard(std::span<const std::byte> bytes) {
  const bool whole = std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size();
  check(whole && std::fflush(stdout) == 0, ErrorCode::kFailed,
        "standard output: cannot be written");
}

}  // namespace

std::string next_free(const std::string& path) {
  std::string free = path;
  for (int number = 2; fs::exists(fs::symlink_status(free)); ++number)
    free = inserted(path, std::to_string(number));
  return free;
}

// Writes to the next free name; again, where another program took it meanwhile.
std::string write_beside(const std::string& wanted, std::span<const std::byte> bytes) {
  while (true) {
    std::string path = next_free(wanted);
    try {
      write_file(path, bytes, /*replace=*/false);
      return path;
    } catch (const Error&) {
      if (!fs::exists(path)) throw;
    }
  }
}

PictureOutput::PictureOutput(std::string option, bool replace, bool several)
    : option_(std::move(option)), replace_(replace), several_(several) {
  if (option_ == "-") {
    check(!several, ErrorCode::kUsage, "-o -: standard output takes one picture, not several");
    check(!output_is_terminal(), ErrorCode::kUsage,
          "-o -: standard output is a terminal; send it to a file or a program");
  }
  const std::string extension = fs::path(option_).extension().string();
  check(
      extension.empty() || extension == ".png" || extension == ".PNG" || fs::is_directory(option_),
      ErrorCode::kUsage, "-o ", option_, ": pictures are written as PNG, needs a name in .png");
}

std::string PictureOutput::wanted(uint64_t seed) const {
  if (standard()) return option_;
  std::string plain = concat_text("tintype-", seed, ".png");
  if (option_.empty()) return plain;
  if (fs::is_directory(option_)) return (fs::path(option_) / plain).string();
  return several_ ? inserted(option_, std::to_string(seed)) : option_;
}

void PictureOutput::probe(uint64_t seed, size_t bytes) const {
  const std::string path = wanted(seed);
  if (standard() || is_device(path)) return;  // what is written there cannot be taken back
  NewFile file(replace_ ? path : next_free(path));
  file.write(std::vector<std::byte>(bytes));
}

std::string PictureOutput::write(uint64_t seed, std::span<const std::byte> bytes) const {
  std::string path = wanted(seed);
  if (standard()) {
    write_standard(bytes);
  } else if (replace_ || is_device(path)) {
    write_file(path, bytes);
  } else {
    path = write_beside(path, bytes);
  }
  return path;
}

}  // namespace tintype
