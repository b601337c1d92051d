// What we ask of the operating system about files, memory, cores and signals. The only callers of
// it are base/os_*.cpp; everything above sees these declarations.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace tintype {

enum class LoadMode { kMap, kRead };

// A whole file in memory: a private read-only mapping, or a copy (--load read).
//
// A mapped file that shrinks while in use doesn't kill the process: missing pages read as zeros
// and damaged() turns true.
class File {
 public:
  // Throws kUsage if `path` is missing or a folder, kBadFile if it cannot be read.
  static std::shared_ptr<const File> open(const std::string& path, LoadMode mode = LoadMode::kMap);
  virtual ~File() = default;

  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  // True once a page of the mapping could not be read.
  virtual bool damaged() const { return false; }
  virtual bool mapped() const { return false; }

 protected:
  File(std::string path, std::span<const std::byte> bytes)
      : path_(std::move(path)), bytes_(bytes) {}
  std::string path_;
  std::span<const std::byte> bytes_;
};

// Tells the kernel that bytes of a mapped file will be used soon, or won't be used for a while.
// Neither changes what is read. Bytes that belong to no mapped file are left alone, and so are
// pages that advise_unneeded is given only a part of.
void advise_needed(std::span<const std::byte> bytes);
void advise_unneeded(std::span<const std::byte> bytes);

// Bytes of this process, from /proc/self/status: now and the highest so far.
struct MemoryUse {
  uint64_t resident = 0, peak = 0;          // VmRSS, VmHWM
  uint64_t anonymous = 0, file_mapped = 0;  // RssAnon, RssFile
};
MemoryUse memory_use();
// Forgets the highest so far (VmHWM); false where the system does not let us.
bool reset_peak_memory();
// Bytes that this machine can still give without swapping.
uint64_t available_memory();

// Zeroed, page-aligned memory that goes back to the system when it is freed.
class PageBlock {
 public:
  PageBlock() = default;
  explicit PageBlock(size_t bytes);  // throws kMachine
  ~PageBlock();
  PageBlock(PageBlock&& other) noexcept;
  PageBlock& operator=(PageBlock&& other) noexcept;

  std::byte* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

// A file in the making: a temporary one in the same folder, renamed by commit(). Until then there
// is nothing at `path`, and nothing stays behind where the writer is dropped. All functions throw
// kFailed naming the path and the reason (disk full, no such folder, no permission); without
// `replace` an existing file is such a reason. Devices and pipes are written as they are.
class NewFile {
 public:
  explicit NewFile(std::string path, bool replace = true);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void commit();

 private:
  void open_temporary();
  [[noreturn]] void fail_with(int error) const;

  std::string path_;
  bool replace_;
  std::string temporary_;  // empty: bytes go to path_ itself
  int slot_ = -1;          // where the Ctrl-C handler finds temporary_
  int descriptor_ = -1;
};

// A NewFile written and committed in one go.
void write_file(const std::string& path, std::span<const std::byte> bytes, bool replace = true);

// Removes the temporary file of every NewFile that is not committed. Safe in a signal handler.
void remove_temporaries();

// From now on the first SIGINT or SIGTERM sets `flag`, which must outlive the process's last
// signal; the second one removes temporary files and ends the process with code 130. A file that
// grows beyond the process's limit becomes an error of the write instead of a signal.
void install_interrupt_handler(std::atomic<bool>& flag);

// Starts this program anew, in the same process, with `name` in its environment; returns if the
// variable is there already, or if the system refuses. For what libraries read before main().
void restart_with_variable(const char* name, const char* value, char** argv);

// Whether a person reads what is written to standard output, or to standard error.
bool output_is_terminal();
bool error_is_terminal();

// Physical cores that this process may use: its affinity mask, and the quota of its cgroup.
int usable_cores();

}  // namespace tintype
