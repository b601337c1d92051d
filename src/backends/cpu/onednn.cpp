#include "backends/cpu/onednn.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include <dnnl.hpp>

#include "base/error.h"
#include "base/parallel.h"

namespace tintype::cpu {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

// The engine and the stream of a CPU hold no state of a run, so that all threads share them.
const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

dnnl::stream& stream() {
  static dnnl::stream in_order(engine());
  return in_order;
}

memory::data_type data_type(DType type) {
  switch (type) {
    case DType::kBF16:
      return memory::data_type::bf16;
    case DType::kI8:
      return memory::data_type::s8;
    case DType::kI32:
      return memory::data_type::s32;
    default:
      return memory::data_type::f32;
  }
}

dnnl::primitive_attr user_scratch() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

// oneDNN never refuses work that it has no fast code for; its plain loops have "ref" in their name.
void refuse_reference(const std::string& implementation, const std::string& what) {
  check(implementation.find("ref") == std::string::npos, ErrorCode::kMachine, what,
        ": oneDNN has only its reference implementation (", implementation,
        ") for this on this CPU, which is a thousand times too slow");
}

memory at(const memory::desc& desc, const void* data) {
  return {desc, engine(), const_cast<void*>(data)};
}

// Rewrites a tensor in another layout.
class Reorder {
 public:
  Reorder(const memory::desc& from, const memory::desc& to, const std::string& what)
      : from_(from), to_(to) {
    const dnnl::reorder::primitive_desc desc(engine(), from, engine(), to, user_scratch());
    refuse_reference(desc.impl_info_str(), what);
    scratch_ = desc.scratchpad_desc();
    reorder_ = dnnl::reorder(desc);
  }

  size_t scratch_bytes() const { return scratch_.get_size(); }
  size_t packed_bytes() const { return to_.get_size(); }
  void run(const void* from, void* to, std::byte* scratch) const {
    reorder_.execute(stream(), {{DNNL_ARG_FROM, at(from_, from)},
                                {DNNL_ARG_TO, at(to_, to)},
                                {DNNL_ARG_SCRATCHPAD, at(scratch_, scratch)}});
  }

 private:
  memory::desc from_, to_, scratch_;
  dnnl::reorder reorder_;
};

std::string text(const MatMulSpec& s) {
  return concat_text("product [", s.m, ", ", s.k, "] x [", s.k, ", ", s.n, "] of ", s.type);
}

std::string text(const ConvolutionSpec& s) {
  return concat_text("convolution ", s.in_channels, " -> ", s.out_channels, " of ", s.type);
}

// The many layers of one shape share one primitive for as long as any of them lives. Code is
// generated for a number of threads, which is therefore part of the key.
template <class State, class Spec>
std::shared_ptr<const State> shared(const Spec& spec) {
  static std::mutex mutex;
  static std::map<std::pair<Spec, int>, std::weak_ptr<const State>> known;

  const std::lock_guard lock(mutex);
  std::weak_ptr<const State>& slot = known[{spec, threads()}];
  std::shared_ptr<const State> state = slot.lock();
  if (state) return state;
  try {
    state = std::make_shared<const State>(spec);
  } catch (const dnnl::error& error) {
    fail(ErrorCode::kMachine, text(spec), ": oneDNN refuses: ", error.what());
  }
  slot = state;
  return state;
}

// While it lives, primitives are made for, and run by, the calling thread alone.
class OneThread {
 public:
  explicit OneThread(bool wanted) : before_(wanted ? threads() : 0) {
    if (wanted) set_threads(1);
  }
  ~OneThread() {
    if (before_ > 0) set_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

memory::desc rows_desc(Dim rows, Dim cols, DType type, Dim stride) {
  return {{rows, cols}, data_type(type), {stride > 0 ? stride : cols, 1}};
}

// A stored row of the second factor is a column of it.
memory::desc factor_desc(const MatMulSpec& s, Factor order) {
  const memory::dims dims{s.k, s.n};
  if (order == Factor::kPacked) return {dims, data_type(s.type), Tag::any};
  if (order == Factor::kColumns) return rows_desc(s.k, s.n, s.type, s.b_stride);
  return {dims, data_type(s.type), {1, s.b_stride > 0 ? s.b_stride : s.k}};
}

dnnl_cpu_isa_t widest_isa(const DeviceFacts& facts) {
  if (facts.isa != Isa::kAvx512) return facts.int8_dot ? dnnl_cpu_isa_avx2_vnni : dnnl_cpu_isa_avx2;
  if (facts.amx) return dnnl_cpu_isa_avx512_core_amx;
  if (facts.bf16_dot) return dnnl_cpu_isa_avx512_core_bf16;
  return facts.int8_dot ? dnnl_cpu_isa_avx512_core_vnni : dnnl_cpu_isa_avx512_core;
}

}  // namespace

void limit_onednn(const DeviceFacts& facts) {
  const dnnl_cpu_isa_t wanted = widest_isa(facts);
  if (dnnl_set_max_cpu_isa(wanted) == dnnl_success) return;
  // Its values are bit sets; a wider set has bits that the narrower one lacks.
  const auto in_force = static_cast<unsigned>(dnnl_get_effective_cpu_isa());
  check((in_force & ~static_cast<unsigned>(wanted)) == 0, ErrorCode::kFailed,
        "the instruction set ", name(facts.isa),
        " was asked for after oneDNN had made code for a wider one");
}

bool multiplies_bf16(const DeviceFacts& facts) {
  return facts.isa == Isa::kAvx512 && (facts.amx || facts.bf16_dot);
}

struct MatMul::State {
  explicit State(const MatMulSpec& spec) : one_thread(spec.one_thread) {
    const std::string what = text(spec);
    dnnl::primitive_attr attr = user_scratch();
    if (spec.accumulate) {
      dnnl::post_ops sum;
      sum.append_sum(1.0f);
      attr.set_post_ops(sum);
    }
    const dnnl::matmul::desc wanted(rows_desc(spec.m, spec.k, spec.type, spec.a_stride),
                                    factor_desc(spec, spec.b),
                                    rows_desc(spec.m, spec.n, spec.out, spec.out_stride));
    const dnnl::matmul::primitive_desc desc(wanted, attr, engine());
    implementation = desc.impl_info_str();
    refuse_reference(implementation, what);
    a = desc.src_desc();
    b = desc.weights_desc();
    out = desc.dst_desc();
    scratch = desc.scratchpad_desc();
    product = dnnl::matmul(desc);
    if (spec.b == Factor::kPacked)
      pack = std::make_unique<Reorder>(factor_desc(spec, spec.unpacked), b, what);
  }

  bool one_thread;
  std::string implementation;
  memory::desc a, b, out, scratch;
  dnnl::matmul product;
  std::unique_ptr<Reorder> pack;
};

MatMul::MatMul(const MatMulSpec& spec) {
  const OneThread scope(spec.one_thread);
  state_ = shared<State>(spec);
}

const std::string& MatMul::implementation() const { return state_->implementation; }

size_t MatMul::scratch_bytes() const {
  const size_t pack = state_->pack ? state_->pack->scratch_bytes() : 0;
  return std::max(state_->scratch.get_size(), pack);
}

size_t MatMul::packed_bytes() const { return state_->b.get_size(); }

void MatMul::pack(const void* b, void* packed, std::byte* scratch) const noexcept {
  const OneThread scope(state_->one_thread);
  state_->pack->run(b, packed, scratch);
}

void MatMul::run(const void* a, const void* b, void* out, std::byte* scratch) const noexcept {
  const OneThread scope(state_->one_thread);
  state_->product.execute(stream(), {{DNNL_ARG_SRC, at(state_->a, a)},
                                     {DNNL_ARG_WEIGHTS, at(state_->b, b)},
                                     {DNNL_ARG_DST, at(state_->out, out)},
                                     {DNNL_ARG_SCRATCHPAD, at(state_->scratch, scratch)}});
}

struct Convolution::State {
  explicit State(const ConvolutionSpec& s) {
    using memory_desc = memory::desc;
    const Dim out_height = (s.height + s.top + s.bottom - s.kernel_height) / s.stride + 1;
    const Dim out_width = (s.width + s.left + s.right - s.kernel_width) / s.stride + 1;
    const memory::data_type type = data_type(s.type);
    const memory::dims kernel{s.out_channels, s.in_channels, s.kernel_height, s.kernel_width};

    in = memory_desc({s.batch, s.in_channels, s.height, s.width}, type, Tag::nhwc);
    out = memory_desc({s.batch, s.out_channels, out_height, out_width}, type, Tag::nhwc);
    if (s.bias) bias = memory_desc({s.out_channels}, memory::data_type::f32, Tag::a);
    const dnnl::convolution_forward::desc wanted(
        dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, in,
        memory_desc(kernel, type, Tag::any), bias, out, {s.stride, s.stride}, {s.top, s.left},
        {s.bottom, s.right});
    const dnnl::convolution_forward::primitive_desc desc(wanted, user_scratch(), engine());
    implementation = desc.impl_info_str();
    refuse_reference(implementation, text(s));
    packed = desc.weights_desc();
    scratch = desc.scratchpad_desc();
    convolution = dnnl::convolution_forward(desc);
    pack = std::make_unique<Reorder>(memory_desc(kernel, type, Tag::oihw), packed, text(s));
  }

  std::string implementation;
  memory::desc in, packed, bias, out, scratch;
  dnnl::convolution_forward convolution;
  std::unique_ptr<Reorder> pack;
};

Convolution::Convolution(const ConvolutionSpec& spec) : state_(shared<State>(spec)) {}

const std::string& Convolution::implementation() const { return state_->implementation; }

size_t Convolution::scratch_bytes() const {
  return std::max(state_->scratch.get_size(), state_->pack->scratch_bytes());
}

size_t Convolution::packed_bytes() const { return state_->packed.get_size(); }

void Convolution::pack(const void* weight, void* packed, std::byte* scratch) const noexcept {
  state_->pack->run(weight, packed, scratch);
}

void Convolution::run(const void* in, const void* packed, const float* bias, void* out,
                      std::byte* scratch) const noexcept {
  std::unordered_map<int, memory> args{{DNNL_ARG_SRC, at(state_->in, in)},
                                       {DNNL_ARG_WEIGHTS, at(state_->packed, packed)},
                                       {DNNL_ARG_DST, at(state_->out, out)},
                                       {DNNL_ARG_SCRATCHPAD, at(state_->scratch, scratch)}};
  if (bias != nullptr) args.emplace(DNNL_ARG_BIAS, at(state_->bias, bias));
  state_->convolution.execute(stream(), args);
}

}  // namespace tintype::cpu
