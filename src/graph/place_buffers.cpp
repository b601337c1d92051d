// Lifetimes, memory taken over in place, and offsets in one arena.
#include <algorithm>
#include <limits>
#include <numeric>

#include "base/rounding.h"
#include "graph/plan.h"

namespace tintype {
namespace {

constexpr size_t kAlignment = 128;

template <class F>
void for_each_buffer(const Step& step, F f) {
  for (const Value& v : step.in) f(v.buffer);
  for (const Value& v : step.out) f(v.buffer);
  if (step.scratch >= 0) f(step.scratch);
}

// From the first to the last step that touches a buffer. What is there or made once per job and
// read in every step, and what is delivered, lives on past the last step.
void find_lifetimes(Plan& plan) {
  const int end = static_cast<int>(plan.steps.size());
  for (Buffer& b : plan.buffers) {
    b.first = std::numeric_limits<int>::max();
    b.last = -1;
  }
  const auto touch = [&](int buffer, int step) {
    Buffer& b = plan.buffers[static_cast<size_t>(buffer)];
    b.first = std::min(b.first, step);
    b.last = std::max(b.last, step);
  };
  for (const NamedValue& in : plan.inputs)
    touch(in.value.buffer, in.rate == Rate::kJob ? -1 : plan.job_steps);
  for (int i = 0; i < end; ++i)
    for_each_buffer(plan.steps[static_cast<size_t>(i)], [&](int b) { touch(b, i); });
  for (Buffer& b : plan.buffers)
    if (b.first < plan.job_steps && b.last >= plan.job_steps) b.last = end;
  for (const NamedValue& out : plan.outputs) touch(out.value.buffer, end);
}

bool covers(const Value& v, const Buffer& b) {
  const auto elements = static_cast<size_t>(v.layout.shape.elements());
  return v.offset == 0 && v.layout.is_dense() && elements * size_of(v.dtype) == b.bytes;
}

// True if step number `i` may write its output over its first input.
bool can_take_over(const Plan& plan, const Step& step, int i) {
  if (!step.kernel->needs.in_place || step.in.empty()) return false;
  const Value &in = step.in[0], &out = step.out[0];
  const Buffer& from = plan.buffers[static_cast<size_t>(in.buffer)];
  const Buffer& to = plan.buffers[static_cast<size_t>(out.buffer)];
  const bool read_twice = std::any_of(step.in.begin() + 1, step.in.end(),
                                      [&](const Value& v) { return v.buffer == in.buffer; });
  return !read_twice && !from.constant && from.last == i && to.first == i &&
         in.dtype == out.dtype && in.layout.shape == out.layout.shape && covers(in, from) &&
         covers(out, to);
}

// Every mention of buffer `from` becomes one of `to`.
void take_over(Plan& plan, int from, int to) {
  const auto rename = [&](int& buffer) {
    if (buffer == from) buffer = to;
  };
  Buffer &dead = plan.buffers[static_cast<size_t>(from)],
         &kept = plan.buffers[static_cast<size_t>(to)];
  for (int i = std::max(0, dead.first); i <= dead.last && i < static_cast<int>(plan.steps.size());
       ++i) {
    for (Value& v : plan.steps[static_cast<size_t>(i)].in) rename(v.buffer);
    for (Value& v : plan.steps[static_cast<size_t>(i)].out) rename(v.buffer);
  }
  for (NamedValue& out : plan.outputs) rename(out.value.buffer);
  kept.last = std::max(kept.last, dead.last);
  dead = {};
  dead.first = std::numeric_limits<int>::max();
  dead.last = -1;
}

void share_in_place(Plan& plan) {
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    if (can_take_over(plan, step, static_cast<int>(i)))
      take_over(plan, step.out[0].buffer, step.in[0].buffer);
  }
}

// Largest first, each at the lowest offset where nothing that lives at the same time is in the way.
void place(Plan& plan) {
  std::vector<size_t> order;
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    if (!plan.buffers[i].constant && plan.buffers[i].first <= plan.buffers[i].last)
      order.push_back(i);
  std::ranges::stable_sort(
      order, [&](size_t a, size_t b) { return plan.buffers[a].bytes > plan.buffers[b].bytes; });
  std::vector<const Buffer*> placed;  // by offset
  for (size_t i : order) {
    Buffer& b = plan.buffers[i];
    size_t offset = 0;
    for (const Buffer* other : placed) {
      if (other->last < b.first || b.last < other->first) continue;
      if (offset + b.bytes <= other->offset) break;
      offset = std::max(offset, round_up(other->offset + other->bytes, kAlignment));
    }
    b.offset = offset;
    plan.arena_bytes = std::max(plan.arena_bytes, round_up(offset + b.bytes, kAlignment));
    placed.insert(std::ranges::upper_bound(placed, offset, {}, &Buffer::offset), &b);
  }
}

}  // namespace

void place_buffers(Plan& plan) {
  find_lifetimes(plan);
  share_in_place(plan);
  place(plan);
}

}  // namespace tintype
