#include "base/os_mappings.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tintype {
namespace {

// A free slot has size 0. `begin` is written before `size`, so whoever reads a size that isn't 0
// sees the begin that belongs to it; readers and the handler take no lock.
struct Slot {
  std::atomic<bool> taken = false;
  std::atomic<std::byte*> begin = nullptr;
  std::atomic<size_t> size = 0;
  std::atomic<bool> damaged = false;
};
static_assert(std::atomic<std::byte*>::is_always_lock_free);

// More than any job maps: a checkpoint of 100 shards, encoders, adapters.
std::array<Slot, 1024> slots;
struct sigaction previous;
size_t page_bytes;

Slot* find(const std::byte* address) {
  for (Slot& slot : slots) {
    const size_t size = slot.size.load(std::memory_order_acquire);
    const std::byte* begin = slot.begin.load(std::memory_order_relaxed);
    if (size != 0 && address >= begin && address < begin + size) return &slot;
  }
  return nullptr;
}

// Whatever follows a cut is gone as well, so one fault fills the rest of the mapping.
bool fill_with_zeros(const Slot& slot, std::byte* address) {
  std::byte* page = address - reinterpret_cast<uintptr_t>(address) % page_bytes;
  const auto rest = static_cast<size_t>(slot.begin + slot.size - page);
  return mmap(page, rest, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page;
}

void pass_on(int signal, siginfo_t* info, void* context) {
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else {
    sigaction(SIGBUS, &previous, nullptr);
    raise(SIGBUS);  // ends the process as soon as we return
  }
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  auto* address = static_cast<std::byte*>(info->si_addr);
  Slot* slot = find(address);
  if (slot != nullptr && fill_with_zeros(*slot, address)) {
    slot->damaged.store(true, std::memory_order_release);
  } else {
    pass_on(signal, info, context);
  }
  errno = saved;
}

void install_handler() {
  page_bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  struct sigaction ours {};
  ours.sa_sigaction = on_bus_error;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGBUS, &ours, &previous);
}

}  // namespace

int add_mapping(std::span<const std::byte> mapping) {
  static std::once_flag installed;
  std::call_once(installed, install_handler);
  for (size_t i = 0; i < slots.size(); ++i) {
    Slot& slot = slots[i];
    if (slot.taken.exchange(true)) continue;
    slot.damaged = false;
    slot.begin.store(const_cast<std::byte*>(mapping.data()), std::memory_order_relaxed);
    slot.size.store(mapping.size(), std::memory_order_release);
    return static_cast<int>(i);
  }
  return -1;
}

void remove_mapping(int slot) {
  slots[static_cast<size_t>(slot)].size = 0;
  slots[static_cast<size_t>(slot)].taken = false;
}

bool mapping_damaged(int slot) {
  return slots[static_cast<size_t>(slot)].damaged.load(std::memory_order_acquire);
}

bool in_mapping(std::span<const std::byte> bytes) {
  if (bytes.empty()) return false;
  const Slot* slot = find(bytes.data());
  return slot != nullptr && bytes.data() + bytes.size() <= slot->begin + slot->size;
}

}  // namespace tintype
