#include "base/parallel.h"

#include <atomic>
#include <vector>

#include <gtest/gtest.h>

namespace tintype {
namespace {

// Counts how often each index is visited, with the given number of threads.
std::vector<int> visits(int thread_count, int64_t count, int64_t grain) {
  set_threads(thread_count);
  std::vector<int> seen(static_cast<size_t>(count));
  std::atomic<int> short_ranges = 0;
  parallel_ranges(count, grain, [&](int64_t begin, int64_t end) {
    EXPECT_LT(begin, end);
    if (end - begin < grain) ++short_ranges;
    for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
  });
  EXPECT_LE(short_ranges, 1) << "only the last range may be shorter than the grain";
  set_threads(0);
  return seen;
}

TEST(Parallel, EveryIndexIsVisitedOnce) {
  for (const int thread_count : {1, 2, 3, 8}) {
    for (const int64_t count : {0, 1, 2, 7, 64, 1001}) {
      for (const int64_t grain : {1, 3, 64, 5000}) {
        SCOPED_TRACE(testing::Message() << thread_count << " " << count << " " << grain);
        EXPECT_EQ(visits(thread_count, count, grain),
                  std::vector<int>(static_cast<size_t>(count), 1));
      }
    }
  }
}

TEST(Parallel, ALoopInsideALoopRunsOnItsThread) {
  set_threads(2);
  std::atomic<int> sum = 0;
  parallel_for(4, [&](int64_t) {
    const int outer = thread_index();
    parallel_for(10, [&](int64_t) { sum += thread_index() == outer ? 1 : 100; });
  });
  EXPECT_EQ(sum, 40);
  set_threads(0);
}

TEST(Parallel, ThreadIndicesStayBelowTheirCount) {
  set_threads(2);
  EXPECT_EQ(threads(), 2);
  parallel_for(100, [&](int64_t) {
    EXPECT_GE(thread_index(), 0);
    EXPECT_LT(thread_index(), 2);
  });
  set_threads(0);
  EXPECT_GE(threads(), 1);
}

}  // namespace
}  // namespace tintype
