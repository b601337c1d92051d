#include "graph/executor.h"

#include <algorithm>
#include <cstring>

#include "base/cancel.h"
#include "base/error.h"
#include "base/parallel.h"

namespace tintype {
namespace {

template <class F>
void for_each_part(const WeightUse& weight, F f) {
  for (const Part& part : weight.parameter->parts) f(part.bytes);
}

}  // namespace

Executor::Executor(const Plan& plan) : plan_(plan), arena_(plan.arena_bytes) {
  size_t most_in = 0, most_out = 0;
  for (const Step& step : plan.steps) {
    most_in = std::max(most_in, step.in.size());
    most_out = std::max(most_out, step.out.size());
  }
  in_.reserve(most_in);
  out_.reserve(most_out);
}

View Executor::view(const Value& value) const {
  const Buffer& b = plan_.buffers[static_cast<size_t>(value.buffer)];
  // Constants are only ever read: no step has one as its output.
  std::byte* base = b.constant ? const_cast<std::byte*>(b.constant) : arena_.data() + b.offset;
  return {base + value.offset, value.dtype, value.layout};
}

void Executor::begin_job(const NamedArrays& inputs, const RunControl& control) {
  store_inputs(inputs, Rate::kJob);
  run_steps(0, plan_.job_steps, plan_.job_cost, control);
  begun_ = true;
}

NamedArrays Executor::run(const NamedArrays& inputs, const RunControl& control) {
  TINTYPE_ASSERT(begun_);
  store_inputs(inputs, Rate::kStep);
  run_steps(plan_.job_steps, static_cast<int>(plan_.steps.size()), plan_.step_cost, control);
  NamedArrays results;
  for (const NamedValue& out : plan_.outputs) {
    Array array(out.value.layout.shape);
    std::memcpy(array.bytes().data(), view(out.value).data, array.bytes().size());
    results.emplace(out.name, std::move(array));
  }
  return results;
}

void Executor::store_inputs(const NamedArrays& inputs, Rate rate) {
  for (const NamedValue& in : plan_.inputs) {
    if (in.rate != rate) continue;
    const auto found = inputs.find(in.name);
    check(found != inputs.end(), ErrorCode::kUsage, "input ", in.name, " is missing: needs ",
          in.value.dtype, in.value.layout.shape);
    const Array& array = found->second;
    check(array.dtype() == in.value.dtype && array.shape() == in.value.layout.shape,
          ErrorCode::kUsage, "input ", in.name, " is ", array.dtype(), array.shape(), ", needs ",
          in.value.dtype, in.value.layout.shape);
    std::memcpy(view(in.value).data, array.bytes().data(), array.bytes().size());
  }
}

void Executor::run_steps(int first, int last, double total, const RunControl& control) {
  double done = 0;
  ahead_ = 0;
  set_threads(plan_.threads);  // of this thread: kernels have scratch for so many
  stop_if_cancelled(control.cancel);
  for (int i = first; i < last; ++i) {
    run_step(i, control);
    stop_if_cancelled(control.cancel);
    done += plan_.steps[static_cast<size_t>(i)].cost;
    if (control.progress) control.progress(total > 0 ? done / total : 1);
  }
}

void Executor::run_step(int index, const RunControl& control) {
  const Step& step = plan_.steps[static_cast<size_t>(index)];
  if (control.crumb) {
    set_crumb(control.crumb->layer, step.node->layer);
    set_crumb(control.crumb->kernel, step.kernel->id);
  }
  if (control.before_step) control.before_step(step);
  stream_weights(index);

  in_.clear();
  out_.clear();
  for (const Value& v : step.in) in_.push_back(view(v));
  for (const Value& v : step.out) out_.push_back(view(v));
  std::byte* scratch = nullptr;
  if (step.scratch >= 0)
    scratch = arena_.data() + plan_.buffers[static_cast<size_t>(step.scratch)].offset;
  step.prepared->run({in_, out_, scratch, control.cancel});

  for (const RowSlice& s : step.node->weight)
    if (const File* file = s.parameter->file.get(); file && file->damaged())
      fail(ErrorCode::kFailed, file->path(), " was cut while in use, found at ", step.node->layer);
  drop_weights(index);
  if (control.after_step) control.after_step(step);
}

// Reads ahead, in order of use, as many streamed weights as the window has room for.
void Executor::stream_weights(int index) {
  if (plan_.window_bytes == 0) return;
  size_t waiting = 0;  // bytes advised in and still to be used
  for (size_t w = 0; w < plan_.weights.size(); ++w) {
    const WeightUse& use = plan_.weights[w];
    if (use.pinned || use.last < index) continue;
    waiting += use.bytes;
    if (waiting > plan_.window_bytes) break;
    if (w < ahead_) continue;
    for_each_part(use, advise_needed);
    ahead_ = w + 1;
  }
}

void Executor::drop_weights(int index) const {
  for (int w : plan_.weights_of_step[static_cast<size_t>(index)]) {
    const WeightUse& use = plan_.weights[static_cast<size_t>(w)];
    if (!use.pinned && use.last == index) for_each_part(use, advise_unneeded);
  }
}

}  // namespace tintype
