#include "support/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<size_t> largest = 0;

}  // namespace

// The thread sanitizer has operators of its own, and nothing is watched.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TINTYPE_WATCHED_BY_SANITIZER
#endif
#endif

#ifndef TINTYPE_WATCHED_BY_SANITIZER

void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  size_t seen = largest;
  while (seen < bytes && !largest.compare_exchange_weak(seen, bytes)) {
  }
  return std::malloc(bytes == 0 ? 1 : bytes);
}

void* operator new(size_t bytes) {
  if (void* memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

#endif

namespace tintype::test {

size_t take_largest_allocation() { return largest.exchange(0); }

}  // namespace tintype::test
