#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/mman.h>

#include "base/error.h"
#include "base/os.h"
#include "base/os_cgroup.h"

namespace tintype {
namespace {

// Calls take(key, bytes) for each line "Key:   123 kB".
template <class Take>
void read_sizes(const char* path, Take&& take) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream text(line);
    std::string key, unit;
    uint64_t kib = 0;
    if (text >> key >> kib >> unit && unit == "kB") take(key, kib * 1024);
  }
}

// What the process's control groups still allow.
uint64_t available_in_groups() {
  const std::vector<std::string> limits = cgroup_values("memory.max");
  const std::vector<std::string> used = cgroup_values("memory.current");
  uint64_t left = UINT64_MAX;
  for (size_t i = 0; i < std::min(limits.size(), used.size()); ++i) {
    uint64_t limit = 0, now = 0;  // "max" is no number, and no limit
    const bool limited = static_cast<bool>(std::istringstream(limits[i]) >> limit) &&
                         static_cast<bool>(std::istringstream(used[i]) >> now);
    if (limited) left = std::min(left, limit > now ? limit - now : 0);
  }
  return left;
}

}  // namespace

MemoryUse memory_use() {
  MemoryUse use;
  read_sizes("/proc/self/status", [&](const std::string& key, uint64_t bytes) {
    if (key == "VmRSS:") use.resident = bytes;
    if (key == "VmHWM:") use.peak = bytes;
    if (key == "RssAnon:") use.anonymous = bytes;
    if (key == "RssFile:") use.file_mapped = bytes;
  });
  return use;
}

bool reset_peak_memory() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

uint64_t available_memory() {
  uint64_t available = 0;
  read_sizes("/proc/meminfo", [&](const std::string& key, uint64_t bytes) {
    if (key == "MemAvailable:") available = bytes;
  });
  return std::min(available, available_in_groups());
}

PageBlock::PageBlock(size_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED)
    fail(ErrorCode::kMachine, "there is no memory for ", bytes, " bytes: ", available_memory(),
         " are available");
  data_ = static_cast<std::byte*>(start);
}

PageBlock::~PageBlock() {
  if (data_ != nullptr) munmap(data_, size_);
}

PageBlock::PageBlock(PageBlock&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

PageBlock& PageBlock::operator=(PageBlock&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace tintype
