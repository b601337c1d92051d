// Parallel loops over OpenMP: the only place that opens a parallel region of ours.
//
// Results must not depend on the number of threads: a body writes only what its index owns.
#pragma once

#include <cstdint>
#include <type_traits>

namespace tintype {

// Threads that loops use which the calling thread starts; 0 asks for one per core that this process
// may run on.
void set_threads(int count);
int threads();

namespace detail {
using RangeBody = void (*)(void* body, int64_t begin, int64_t end);
void parallel_ranges(int64_t count, int64_t grain, RangeBody call, void* body);
}  // namespace detail

// Calls body(begin, end) on disjoint ranges that cover [0, count). A range has at least `grain`
// indices, unless it is the last one. The ranges depend on the thread count.
template <class Body>
void parallel_ranges(int64_t count, int64_t grain, Body&& body) {
  detail::parallel_ranges(
      count, grain,
      [](void* b, int64_t begin, int64_t end) {
        (*static_cast<std::remove_reference_t<Body>*>(b))(begin, end);
      },
      const_cast<void*>(static_cast<const void*>(&body)));
}

// Calls body(i) for every i in [0, count).
template <class Body>
void parallel_for(int64_t count, Body&& body) {
  parallel_ranges(count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

// Index of the calling thread inside a parallel region, in [0, threads()).
int thread_index();

}  // namespace tintype
