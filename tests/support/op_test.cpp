#include "support/op_test.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "backends/cpu/kernels.h"
#include "backends/reference/kernels.h"
#include "base/error.h"
#include "base/parallel.h"
#include "formats/formats.h"

namespace tintype::test {
namespace {

const Kernel& reference_kernel(const Node& node) {
  return choose_kernel(reference_backend(), node, {}, {});
}

std::vector<std::byte> bytes_of(std::span<const float> values) {
  const auto bytes = std::as_bytes(values);
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> encode(const BlockFormat& format, std::span<const float> values) {
  const BlockCodec& codec = format.codec();
  const auto blocks = static_cast<Dim>(values.size()) / codec.values;
  TINTYPE_ASSERT(blocks * codec.values == static_cast<Dim>(values.size()));
  std::vector<std::byte> out(static_cast<size_t>(blocks) * codec.bytes);
  codec.encode(values.data(), blocks, out.data());
  return out;
}

// Codes of one byte that stand for 1: weights of every format are about as large.
float steps_of_one(const Format& format) { return &format == &kInt8 ? 40.0f : 1.0f; }

std::vector<std::byte> encode_codes(const Format& format, std::span<const float> values) {
  std::vector<std::byte> out(values.size());
  std::ranges::transform(values, out.begin(), [&](float v) {
    if (&format == &kFp8E4M3) return std::byte{float_to_e4m3(v)};
    if (&format == &kFp8E5M2) return std::byte{float_to_e5m2(v)};
    const long code = std::clamp(std::lrint(steps_of_one(format) * v), -127L, 127L);
    return static_cast<std::byte>(static_cast<int8_t>(code));
  });
  return out;
}

}  // namespace

Array random_normal(const Shape& shape, uint64_t seed, float scale) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<float> normal(0, scale);
  Array out(shape);
  for (float& v : out.values()) v = normal(engine);
  return out;
}

Array random_indices(const Shape& shape, int32_t limit, uint64_t seed) {
  std::mt19937_64 engine(seed);
  Array out(shape, DType::kI32);
  for (int32_t& v : out.values<int32_t>())
    v = static_cast<int32_t>(engine() % static_cast<uint64_t>(limit));
  return out;
}

Array array(const Shape& shape, std::initializer_list<float> values) {
  return Array(shape, std::span(values.begin(), values.size()));
}

Tensor OpCase::act(const Shape& shape, float scale) {
  return given(random_normal(shape, next_seed(), scale), graph_.activation());
}

Tensor OpCase::act_of_job(const Shape& shape) {
  return given(random_normal(shape, next_seed()), graph_.activation(), Rate::kJob);
}

Tensor OpCase::f32(const Shape& shape, float scale) {
  return given(random_normal(shape, next_seed(), scale));
}

Tensor OpCase::indices(const Shape& shape, int32_t limit) {
  return given(random_indices(shape, limit, next_seed()));
}

Tensor OpCase::given(const Array& values) { return given(values, values.dtype()); }

Tensor OpCase::given(const Array& values, DType type, Rate rate) {
  const std::string name = concat_text("in", inputs_.size());
  inputs_.emplace(name, values);
  return graph_.input(name, values.shape(), type, rate);
}

std::vector<RowSlice> OpCase::weight(const Shape& shape, const Format& format, Dim rotation) {
  const Array values = random_normal(shape, next_seed());
  Parameter p;
  p.name = concat_text("weight", parameters_.size());
  p.format = &format;
  p.shape = shape;
  p.rotation = rotation;
  if (const auto* block = dynamic_cast<const BlockFormat*>(&format)) {
    p.parts = {{bytes_.emplace_back(encode(*block, values.values())), shape}};
  } else {
    Array scales = random_normal({p.rows()}, next_seed(), 0.1f);
    for (float& v : scales.values()) v = (0.5f + std::fabs(v)) / steps_of_one(format);
    p.parts = {{bytes_.emplace_back(encode_codes(format, values.values())), shape},
               {bytes_.emplace_back(bytes_of(scales.values())), scales.shape()}};
  }
  parameters_.push_back(std::move(p));
  return {{&parameters_.back(), 0, parameters_.back().rows()}};
}

void OpCase::output(Tensor value) {
  graph_.output(concat_text("out", graph_.outputs().size()), value);
}

std::vector<OpParam> op_params(Op op) {
  std::vector<OpParam> params;
  for (const Backend* backend : {&reference_backend(), &cpu_backend()})
    for (const Kernel* kernel : backend->kernels)
      if (kernel->op == op)
        for (DType act : {DType::kF32, DType::kBF16}) params.push_back({kernel, act});
  return params;
}

std::string op_param_name(const testing::TestParamInfo<OpParam>& info) {
  std::string name = concat_text(info.param.kernel->id, '_', info.param.act);
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

bool OpTest::taken(const OpCase& c) const {
  const Kernel* const table[] = {&kernel()};
  const DeviceFacts facts = test_facts();
  try {
    for (const Node& node : c.graph().nodes())
      if (node.op == kernel().op) choose_kernel({"the kernel under test", table}, node, facts, {});
  } catch (const Error&) {
    return false;
  }
  return true;
}

std::vector<NamedArrays> OpTest::run(const OpCase& c) {
  std::vector<NamedArrays> results;
  if (!taken(c)) return results;
  ran_ = true;
  const auto choose = [&](const Node& node) -> const Kernel& {
    return node.op == kernel().op ? kernel() : reference_kernel(node);
  };
  for (Placing placing : {Placing::kDense, Placing::kStrided, Placing::kInPlace})
    results.push_back(evaluate(c.graph(), c.inputs(), choose, test_facts(), placing));

  const int before = threads();
  set_threads(before == 1 ? 2 : 1);
  for (const auto& [name, value] : evaluate(c.graph(), c.inputs(), choose, test_facts()))
    EXPECT_TRUE(is_close(value, results[0].at(name), {}))
        << kernel().id << ", " << name << ", depends on the number of threads";
  set_threads(before);
  return results;
}

void OpTest::expect_reference(const OpCase& c, const Tolerance& tolerance) {
  const auto results = run(c);
  if (results.empty()) return;
  for (const auto& [name, want] : evaluate(c.graph(), c.inputs(), reference_kernel, {}))
    for (size_t placing = 0; placing < results.size(); ++placing)
      EXPECT_TRUE(is_close(results[placing].at(name), want, tolerance))
          << kernel().id << ", " << name << ", placing " << placing;
}

void OpTest::expect_value(const OpCase& c, const Array& want, const Tolerance& tolerance) {
  const auto results = run(c);
  for (size_t placing = 0; placing < results.size(); ++placing)
    EXPECT_TRUE(is_close(results[placing].at("out0"), want, tolerance))
        << kernel().id << ", placing " << placing;
}

void OpTest::TearDown() {
  if (!ran_) GTEST_SKIP() << kernel().id << " takes none of these cases on this machine";
}

}  // namespace tintype::test
