#include "backends/cpu/raw_product.h"

#include <algorithm>

namespace tintype::cpu {
namespace {

MatMulSpec spec_of(const RawSpec& s, bool packed) {
  return {.m = s.m,
          .n = s.n,
          .k = s.k,
          .type = s.type,
          .out = s.type == DType::kI8 ? DType::kI32 : s.type,
          .b = packed ? Factor::kPacked : s.stored,
          .unpacked = s.stored};
}

size_t bytes_of(Dim elements, DType type) { return static_cast<size_t>(elements) * size_of(type); }

void grow(PageBlock& block, size_t bytes) {
  if (block.size() < bytes) block = PageBlock(bytes);
}

// Small whole numbers as f32, which are small numbers as bf16 and as int8 as well: zeros would
// multiply faster than they should, and denormal numbers slower.
void grow_filled(PageBlock& block, size_t bytes) {
  if (block.size() >= bytes) return;
  block = PageBlock(bytes);
  auto* values = reinterpret_cast<float*>(block.data());
  for (size_t i = 0; i < bytes / sizeof(float); ++i) values[i] = static_cast<float>(i * 37 % 251);
}

}  // namespace

RawProduct::RawProduct(const RawSpec& spec, bool packed, RawMemory& memory)
    : spec_(spec),
      product_(spec_of(spec, packed)),
      first_bytes_(bytes_of(spec.m * spec.k, spec.type)),
      second_bytes_(bytes_of(spec.n * spec.k, spec.type)) {
  const auto count = static_cast<size_t>(spec.count);
  grow_filled(memory.first, first_bytes_ * count);
  grow_filled(memory.second, second_bytes_ * count);
  grow(memory.out, bytes_of(spec.m * spec.n, DType::kF32));
  grow(memory.scratch, std::max<size_t>(product_.scratch_bytes(), 1));
  if (!packed) return;
  const size_t each = product_.packed_bytes();
  packed_ = PageBlock(each * count);
  for (size_t i = 0; i < count; ++i)
    product_.pack(memory.second.data() + i * second_bytes_, packed_.data() + i * each,
                  memory.scratch.data());
  second_bytes_ = each;
}

double RawProduct::operations() const {
  return 2.0 * static_cast<double>(spec_.count * spec_.m) * static_cast<double>(spec_.n * spec_.k);
}

void RawProduct::run(const RawMemory& memory, const void* factors) const noexcept {
  const auto* second = static_cast<const std::byte*>(factors);
  if (packed_.size() > 0) second = packed_.data();
  if (second == nullptr) second = memory.second.data();
  for (size_t i = 0; i < static_cast<size_t>(spec_.count); ++i)
    product_.run(memory.first.data() + i * first_bytes_, second + i * second_bytes_,
                 memory.out.data(), memory.scratch.data());
}

}  // namespace tintype::cpu
