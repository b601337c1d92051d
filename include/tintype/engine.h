// The engine: files and a request in, pictures out. It writes no file and opens no socket.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tintype/image.h"
#include "tintype/progress.h"
#include "tintype/request.h"

namespace tintype {

// What is known about one part of a model before and after it runs. All sizes in bytes.
struct ComponentReport {
  std::string role;    // denoiser, text, vae
  std::string family;  // flux.1 (dev), t5xxl, clip_l, kl-16
  std::string file, prefix, layout;
  std::string header_hash;                // of the file
  uint64_t file_bytes = 0;                // of the whole file
  std::map<std::string, size_t> formats;  // how many tensors are stored in which way
  size_t tensors_used = 0;
  std::vector<std::string> unused;        // tensors that nothing asked for
  std::string tokenizer;                  // where its vocabulary came from; text only
  std::map<std::string, size_t> kernels;  // how many steps run on which kernel
  uint64_t weight_bytes = 0;              // as stored
  uint64_t arena_bytes = 0, prepared_bytes = 0, pinned_bytes = 0, window_bytes = 0;
  double seconds = 0;  // spent in it; 0 in a plan
};

struct PlanReport {
  std::vector<ComponentReport> components;  // in the order in which they run
  std::vector<std::string> notices;
  std::string compute, isa;  // what `auto` became
  int width = 0, height = 0, steps = 0;
  std::string shift;  // as it was settled: "mu=1.15"
  double guidance = 0;
  uint64_t fixed_bytes = 0;      // of the process itself
  uint64_t anonymous_bytes = 0;  // highest of arena + prepared + what the process allocates
  uint64_t peak_bytes = 0;       // the same with weights
  uint64_t streamed_bytes = 0;   // read again in every step because of the budget
};

struct Result {
  Pixels picture;
  PlanReport report;
  Request request;  // with every default filled in; the report says what shift became
  double seconds = 0;
  uint64_t peak_anonymous = 0, peak_resident = 0;  // measured
};

// One thread at a time may call it; it starts its own for the work. The instruction set is the
// process's: a second engine cannot ask for a wider one than the first.
class Engine {
 public:
  explicit Engine(const EngineOptions& options);  // throws kMachine, kUsage
  ~Engine();

  // Both throw tintype::Error. Files stay open between calls.
  PlanReport plan(const Request& request);
  Result generate(const Request& request, const JobControl& control = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tintype
