#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>

#include "base/error.h"
#include "base/os.h"

namespace tintype {
namespace {

// Temporary files of this process, where a signal handler can find them: it may run between any
// two instructions, so a path is complete before `live` says so, and nothing is allocated.
struct Temporary {
  std::atomic<bool> taken = false;
  std::atomic<bool> live = false;
  char path[PATH_MAX];
};
std::array<Temporary, 64> temporaries;

int remember(const std::string& path) {
  for (size_t i = 0; i < temporaries.size() && path.size() < PATH_MAX; ++i) {
    Temporary& entry = temporaries[i];
    if (entry.taken.exchange(true)) continue;
    std::memcpy(entry.path, path.c_str(), path.size() + 1);
    entry.live.store(true, std::memory_order_release);
    return static_cast<int>(i);
  }
  return -1;
}

void forget(int slot) {
  if (slot < 0) return;
  temporaries[static_cast<size_t>(slot)].live = false;
  temporaries[static_cast<size_t>(slot)].taken = false;
}

// A name of its own in the folder of `path`; short, as `path` may have the longest name allowed.
std::string temporary_beside(const std::string& path) {
  static std::atomic<int> count = 0;
  const std::string folder = path.substr(0, path.find_last_of('/') + 1);
  return concat_text(folder, ".tintype-", getpid(), "-", ++count, ".tmp");
}

// Renames `from` to `to` unless `to` exists; 0 or an errno.
int rename_without_replacing(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // A file system without that flag: two steps, between which somebody else may write `to`.
  if (access(to.c_str(), F_OK) == 0) return EEXIST;
  return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

NewFile::NewFile(std::string path, bool replace) : path_(std::move(path)), replace_(replace) {
  struct stat facts {};
  const bool exists = stat(path_.c_str(), &facts) == 0;
  if (exists && S_ISDIR(facts.st_mode)) fail_with(EISDIR);
  if (exists && !S_ISREG(facts.st_mode)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail_with(errno);
    return;
  }
  if (exists && !replace_) fail_with(EEXIST);
  open_temporary();
}

NewFile::~NewFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  forget(slot_);
}

// The handler learns the name before the file exists, so that no moment is left uncovered.
void NewFile::open_temporary() {
  std::string temporary = temporary_beside(path_);
  slot_ = remember(temporary);
  if (slot_ < 0) fail_with(temporary.size() < PATH_MAX ? EMFILE : ENAMETOOLONG);
  descriptor_ = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    const int error = errno;
    forget(slot_);
    fail_with(error);
  }
  temporary_ = std::move(temporary);
}

void NewFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail_with(errno);
    bytes = bytes.subspan(static_cast<size_t>(done));
  }
}

void NewFile::commit() {
  // Network file systems report a full disk only here.
  const int closed = ::close(descriptor_);
  const int error = errno;
  descriptor_ = -1;
  if (closed != 0) fail_with(error);
  if (temporary_.empty()) return;
  const int renamed = replace_ ? (std::rename(temporary_.c_str(), path_.c_str()) == 0 ? 0 : errno)
                               : rename_without_replacing(temporary_, path_);
  if (renamed != 0) fail_with(renamed);
  temporary_.clear();
  forget(slot_);
  slot_ = -1;
}

void NewFile::fail_with(int error) const {
  const char* reason = error == ENOSPC || error == EDQUOT    ? "the disk is full"
                       : error == ENOENT || error == ENOTDIR ? "there is no such folder"
                       : error == EACCES || error == EPERM || error == EROFS
                           ? "there is no permission to write there"
                       : error == EISDIR ? "it is a folder"
                       : error == EEXIST ? "the file exists already"
                                         : std::strerror(error);
  fail(ErrorCode::kFailed, path_, ": cannot be written: ", reason);
}

void write_file(const std::string& path, std::span<const std::byte> bytes, bool replace) {
  NewFile file(path, replace);
  file.write(bytes);
  file.commit();
}

void remove_temporaries() {
  for (const Temporary& entry : temporaries) {
    if (entry.live.load(std::memory_order_acquire)) ::unlink(entry.path);
  }
}

}  // namespace tintype
