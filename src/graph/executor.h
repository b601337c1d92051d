// Runs a plan.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "base/os.h"
#include "graph/plan.h"
#include "tintype/progress.h"

namespace tintype {

// What the caller of a run wants to know and to stop. All members may be empty.
struct RunControl {
  Breadcrumb* crumb = nullptr;                // says what runs, before it runs
  const std::atomic<bool>* cancel = nullptr;  // read before every kernel
  std::function<void(double)> progress{};     // share of this run's planned cost that is done
  std::function<void(const Step&)> before_step{}, after_step{};
};

class Executor {
 public:
  // The plan must outlive the executor. The arena is allocated here and nowhere else.
  explicit Executor(const Plan& plan);

  // Runs the nodes that depend on job inputs alone. Inputs are checked by name, type and shape.
  void begin_job(const NamedArrays& inputs, const RunControl& control = {});
  // Runs the rest; begin_job must have been called. Throws kCancelled when asked to stop, kFailed
  // if a file was cut while in use.
  NamedArrays run(const NamedArrays& inputs, const RunControl& control = {});

  // The value of an operand, valid until the next step runs; for tests and guards.
  View view(const Value& value) const;

 private:
  void store_inputs(const NamedArrays& inputs, Rate rate);
  void run_steps(int first, int last, double total, const RunControl& control);
  void run_step(int index, const RunControl& control);
  void stream_weights(int index);
  void drop_weights(int index) const;

  const Plan& plan_;
  PageBlock arena_;
  std::vector<View> in_, out_;  // of the step that runs; kept so that no step allocates
  size_t ahead_ = 0;            // first weight that was not advised in yet
  bool begun_ = false;          // the values of job rate are there
};

}  // namespace tintype
