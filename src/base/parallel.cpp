#include "base/parallel.h"

#include <algorithm>

#include <omp.h>

#include "base/rounding.h"

namespace tintype {

void set_threads(int count) { omp_set_num_threads(count > 0 ? count : omp_get_num_procs()); }

int threads() { return omp_get_max_threads(); }

int thread_index() { return omp_get_thread_num(); }

namespace detail {

void parallel_ranges(int64_t count, int64_t grain, RangeBody call, void* body) {
  if (count <= 0) return;
  const int64_t most = divide_up(count, grain);
  const int64_t parts = std::min<int64_t>(threads(), most);
  if (parts <= 1 || omp_in_parallel()) {
    call(body, 0, count);
    return;
  }
#pragma omp parallel num_threads(static_cast <int>(parts))
  {
    const int64_t part = omp_get_thread_num(), all = omp_get_num_threads();
    const int64_t share = divide_up(most, all) * grain;
    const int64_t begin = std::min(count, part * share), end = std::min(count, begin + share);
    if (begin < end) call(body, begin, end);
  }
}

}  // namespace detail
}  // namespace tintype
