// One measurement of `tintype bench`: a denoiser step at one size, against its matrix products done
// by oneDNN alone, in the same run.
#pragma once

#include <string>
#include <vector>

#include "pipeline/components.h"
#include "pipeline/stage.h"

namespace tintype {

struct BenchSetup {
  int width = 0, height = 0;  // pixels
  Dim text_length = 256;      // tokens
  int repeats = 5;            // of which medians are taken
};

// Products of one shape, measured raw.
struct BenchProducts {
  std::string what;  // "linear", "attend"
  Dim m = 0, n = 0, k = 0;
  Dim count = 0;          // in a step
  std::string type;       // of the factors
  bool packed = false;    // whether that was the faster way
  double seconds = 0;     // of all of them, the faster way
  double operations = 0;  // of all of them; a multiplication and an addition are two
};

struct BenchResult {
  double step_s = 0, raw_s = 0;
  double linear_s = 0, attention_s = 0, other_s = 0;  // parts of step_s
  double bytes_touched = 0;  // weights and values that the step's kernels read and write
  std::vector<BenchProducts> products;

  double ratio() const { return step_s / raw_s; }
};

// Throws kUsage if the size does not suit the model, kCancelled.
BenchResult bench_step(const Loaded<Denoiser>& denoiser, Dim scale, const BenchSetup& setup,
                       const RunSettings& settings, const RunControl& control);

}  // namespace tintype
