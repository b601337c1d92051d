#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/os.h"
#include "base/os_mappings.h"

namespace tintype {
namespace {

class Descriptor {
 public:
  // O_NONBLOCK: opening a named pipe must not wait for somebody to write into it.
  explicit Descriptor(const std::string& path)
      : value_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }

 private:
  int value_;
};

class MappedFile final : public File {
 public:
  MappedFile(const std::string& path, std::span<const std::byte> mapping)
      : File(path, mapping), slot_(add_mapping(mapping)) {}
  ~MappedFile() override {
    if (slot_ >= 0) remove_mapping(slot_);
    munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  bool registered() const { return slot_ >= 0; }
  bool damaged() const override { return mapping_damaged(slot_); }
  bool mapped() const override { return true; }

 private:
  int slot_;
};

class CopiedFile final : public File {
 public:
  CopiedFile(const std::string& path, PageBlock block)
      : File(path, {block.data(), block.size()}), block_(std::move(block)) {}

 private:
  PageBlock block_;
};

std::shared_ptr<const File> map(const std::string& path, int descriptor, size_t size) {
  void* start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  check(start != MAP_FAILED, ErrorCode::kBadFile, path,
        ": cannot be mapped into memory: ", std::strerror(errno),
        " (--load read copies it instead)");
  auto file = std::make_shared<MappedFile>(
      path, std::span<const std::byte>{static_cast<const std::byte*>(start), size});
  check(file->registered(), ErrorCode::kMachine, path, ": too many files are mapped at once");
  return file;
}

std::shared_ptr<const File> copy(const std::string& path, int descriptor, size_t size) {
  PageBlock block(size);
  for (size_t done = 0; done < size;) {
    const ssize_t got = ::read(descriptor, block.data() + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    check(got >= 0, ErrorCode::kBadFile, path, ": cannot be read: ", std::strerror(errno));
    check(got > 0, ErrorCode::kBadFile, path, ": was cut to ", done, " bytes while it was read");
    done += static_cast<size_t>(got);
  }
  return std::make_shared<CopiedFile>(path, std::move(block));
}

size_t page_size() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

// Bytes between `address` and the start of its page.
size_t offset_in_page(const std::byte* address) {
  return reinterpret_cast<uintptr_t>(address) % page_size();
}

}  // namespace

std::shared_ptr<const File> File::open(const std::string& path, LoadMode mode) {
  const Descriptor descriptor(path);
  check(descriptor.get() >= 0 || (errno != ENOENT && errno != ENOTDIR), ErrorCode::kUsage, path,
        ": there is no such file");
  check(descriptor.get() >= 0, ErrorCode::kBadFile, path,
        ": cannot be opened: ", std::strerror(errno));
  struct stat facts {};
  check(fstat(descriptor.get(), &facts) == 0, ErrorCode::kBadFile, path,
        ": cannot be opened: ", std::strerror(errno));
  check(!S_ISDIR(facts.st_mode), ErrorCode::kUsage, path, ": is a folder, but a file is needed");
  check(S_ISREG(facts.st_mode), ErrorCode::kUsage, path, ": is not a regular file");

  const auto size = static_cast<size_t>(facts.st_size);
  if (size == 0 || mode == LoadMode::kRead) return copy(path, descriptor.get(), size);
  return map(path, descriptor.get(), size);
}

void advise_needed(std::span<const std::byte> bytes) {
  if (!in_mapping(bytes)) return;
  const size_t before = offset_in_page(bytes.data());
  madvise(const_cast<std::byte*>(bytes.data()) - before, bytes.size() + before, MADV_WILLNEED);
}

void advise_unneeded(std::span<const std::byte> bytes) {
  if (!in_mapping(bytes)) return;
  const size_t before = (page_size() - offset_in_page(bytes.data())) % page_size();
  const size_t after = offset_in_page(bytes.data() + bytes.size());
  if (before + after >= bytes.size()) return;
  madvise(const_cast<std::byte*>(bytes.data()) + before, bytes.size() - before - after,
          MADV_DONTNEED);
}

}  // namespace tintype
