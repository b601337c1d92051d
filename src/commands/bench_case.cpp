#include "commands/bench_case.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>

#include "backends/cpu/raw_product.h"
#include "base/cancel.h"
#include "base/error.h"
#include "commands/synth_values.h"
#include "formats/formats.h"

namespace tintype {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// ---- the step ----

NamedArrays random_inputs(const Graph& graph) {
  NamedArrays in;
  for (const NamedTensor& input : graph.inputs()) {
    Array array(input.tensor.shape());
    const bool number = input.name == "timestep";
    NormalValues(0, input.name, number ? 0.5f : 0, number ? 0 : 1).fill(0, array.values());
    in.emplace(input.name, std::move(array));
  }
  return in;
}

double bytes_of(const std::vector<Value>& values) {
  double bytes = 0;
  for (const Value& v : values)
    bytes += static_cast<double>(v.layout.shape.elements()) * static_cast<double>(size_of(v.dtype));
  return bytes;
}

double bytes_touched(const Plan& plan) {
  double bytes = 0;
  for (auto i = static_cast<size_t>(plan.job_steps); i < plan.steps.size(); ++i) {
    bytes += bytes_of(plan.steps[i].in) + bytes_of(plan.steps[i].out);
    for (const int w : plan.weights_of_step[i])
      bytes += static_cast<double>(plan.weights[static_cast<size_t>(w)].bytes);
  }
  return bytes;
}

bool is_linear(Op op) { return op == Op::kLinear || op == Op::kInt8Linear; }

// Seconds of one step and of its parts.
struct StepTime {
  double all = 0, linear = 0, attention = 0;
};

class StepTimer {
 public:
  StepTimer(Stage& stage, const NamedArrays& in, RunControl control)
      : stage_(stage), in_(in), control_(std::move(control)) {
    control_.before_step = [this](const Step&) { began_ = Clock::now(); };
    control_.after_step = [this](const Step& step) {
      const double seconds = seconds_since(began_);
      if (is_linear(step.node->op)) now_.linear += seconds;
      if (step.node->op == Op::kAttend) now_.attention += seconds;
    };
    stage_.executor().begin_job(in_, control_);
  }

  StepTime run() {
    now_ = {};
    const auto start = Clock::now();
    stage_.executor().run(in_, control_);
    now_.all = seconds_since(start);
    return now_;
  }

 private:
  Stage& stage_;
  const NamedArrays& in_;
  RunControl control_;
  Clock::time_point began_;
  StepTime now_;
};

// ---- its products ----

// The stored rows of a slice, where raw products can multiply them as they are.
const std::byte* plain_factors(const RowSlice& slice, DType type) {
  const Parameter& p = *slice.parameter;
  const Format* same = type == DType::kF32    ? static_cast<const Format*>(&kF32)
                       : type == DType::kBF16 ? &kBF16
                                              : static_cast<const Format*>(&kInt8);
  const size_t row = static_cast<size_t>(p.cols()) * size_of(type);
  return p.format == same ? p.parts[0].bytes.data() + static_cast<size_t>(slice.first) * row
                          : nullptr;
}

// All products of one shape.
class ProductGroup {
 public:
  ProductGroup(std::string what, const cpu::RawSpec& spec) : what_(std::move(what)), spec_(spec) {}

  void add(const std::byte* factors) { factors_.push_back(factors); }

  void prepare(cpu::RawMemory& memory) {
    plain_.emplace(spec_, false, memory);
    packed_.emplace(spec_, true, memory);
  }

  void measure(const cpu::RawMemory& memory) {
    plain_times_.push_back(time([&](const std::byte* f) { plain_->run(memory, f); }));
    packed_times_.push_back(time([&](const std::byte*) { packed_->run(memory); }));
  }

  BenchProducts result() const {
    const double plain = median(plain_times_), packed = median(packed_times_);
    const auto products = static_cast<Dim>(factors_.size());
    return {what_,
            spec_.m,
            spec_.n,
            spec_.k,
            products * spec_.count,
            std::string(name(spec_.type)),
            packed < plain,
            std::min(plain, packed),
            static_cast<double>(products) * plain_->operations()};
  }

 private:
  template <class Run>
  double time(Run run) const {
    const auto start = Clock::now();
    for (const std::byte* factors : factors_) run(factors);
    return seconds_since(start);
  }

  std::string what_;
  cpu::RawSpec spec_;
  std::vector<const std::byte*> factors_;
  std::optional<cpu::RawProduct> plain_, packed_;
  std::vector<double> plain_times_, packed_times_;
};

class Products {
 public:
  explicit Products(const Plan& plan) {
    for (auto i = static_cast<size_t>(plan.job_steps); i < plan.steps.size(); ++i) {
      const Node& node = *plan.steps[i].node;
      if (is_linear(node.op)) add_linear(node);
      if (node.op == Op::kAttend) add_attention(node);
    }
    for (auto& [key, group] : groups_) group.prepare(memory_);
  }

  void measure() {
    for (auto& [key, group] : groups_) group.measure(memory_);
  }

  std::vector<BenchProducts> results() const {
    std::vector<BenchProducts> out;
    for (const auto& [key, group] : groups_) out.push_back(group.result());
    return out;
  }

 private:
  void add(const char* what, const cpu::RawSpec& spec, const std::byte* factors) {
    groups_.try_emplace({what, spec}, what, spec).first->second.add(factors);
  }

  void add_linear(const Node& node) {
    const Shape& x = node.inputs[0].shape();
    const DType type = node.inputs[0].dtype();
    for (const RowSlice& slice : node.weight)
      add("linear", {.m = x.rows(), .n = slice.rows, .k = x.cols(), .type = type},
          plain_factors(slice, type));
  }

  // q k^T and its softmax times v, head by head.
  void add_attention(const Node& node) {
    const Shape &q = node.inputs[0].shape(), &k = node.inputs[1].shape();
    const Dim heads = q[0] * q[2], queries = q[1], keys = k[1], width = q[3];
    const DType type = node.inputs[0].dtype();
    add("attend", {.m = queries, .n = keys, .k = width, .count = heads, .type = type}, nullptr);
    add("attend",
        {.m = queries,
         .n = width,
         .k = keys,
         .count = heads,
         .type = type,
         .stored = cpu::Factor::kColumns},
        nullptr);
  }

  cpu::RawMemory memory_;
  std::map<std::pair<std::string, cpu::RawSpec>, ProductGroup> groups_;
};

}  // namespace

BenchResult bench_step(const Loaded<Denoiser>& denoiser, Dim scale, const BenchSetup& setup,
                       const RunSettings& settings, const RunControl& control) {
  check(
      setup.width > 0 && setup.height > 0 && setup.width % scale == 0 && setup.height % scale == 0,
      ErrorCode::kUsage, "--size: has ", setup.width, "x", setup.height, ", needs multiples of ",
      scale);
  const Shape latent{1, denoiser.model->sizes().channels, setup.height / scale,
                     setup.width / scale};
  auto graph = denoiser_graph(*denoiser.model, settings.compute, latent, setup.text_length);
  const NamedArrays in = random_inputs(*graph);
  Stage stage(std::move(graph), settings);
  StepTimer timer(stage, in, control);
  Products products(stage.plan());

  timer.run();  // warm: pages of the mapping, caches of the kernels
  products.measure();
  std::vector<double> all, linear, attention;
  for (int i = 0; i < setup.repeats; ++i) {
    stop_if_cancelled(control.cancel);
    const StepTime time = timer.run();
    all.push_back(time.all);
    linear.push_back(time.linear);
    attention.push_back(time.attention);
    products.measure();
  }

  BenchResult result;
  result.step_s = median(all);
  result.linear_s = median(linear);
  result.attention_s = median(attention);
  result.other_s = result.step_s - result.linear_s - result.attention_s;
  result.bytes_touched = bytes_touched(stage.plan());
  result.products = products.results();
  for (const BenchProducts& p : result.products) result.raw_s += p.seconds;
  return result;
}

}  // namespace tintype
