#include "support/random_graph.h"

#include <random>

#include "formats/formats.h"

namespace tintype::test {
namespace {

class Builder {
 public:
  Builder(OpCase& c, uint64_t seed) : case_(c), engine_(seed) {
    for (int i = 0; i < 4; ++i) {
      const Shape shape{1 + pick(2), 1 + pick(5), 4 * (1 + pick(3))};
      pool_.push_back(pick(3) == 0 ? c.act_of_job(shape) : c.act(shape));
    }
  }

  void grow(int nodes) {
    while (static_cast<int>(pool_.size()) < nodes)
      if (const Tensor made = next()) pool_.push_back(made);
    for (int i = 0; i < 3; ++i) case_.output(any());
    case_.output(pool_.back());
  }

 private:
  Dim pick(Dim limit) { return static_cast<Dim>(engine_() % static_cast<uint64_t>(limit)); }
  // Recent tensors are likelier, so that graphs become deep.
  Tensor any() {
    const auto size = static_cast<Dim>(pool_.size());
    return pool_[static_cast<size_t>(pick(2) ? pick(size) : std::max<Dim>(0, size - 1 - pick(4)))];
  }
  Tensor like(const Tensor& x) {
    for (int tries = 0; tries < 8; ++tries)
      if (const Tensor other = any(); other.shape() == x.shape()) return other;
    return x;
  }

  Tensor next() {
    const Tensor x = any();
    switch (pick(10)) {
      case 0:
        return silu(x);
      case 1:
        return x + like(x);
      case 2:
        return x + slice(like(x), 1, 0, 1) * like(x);
      case 3: {
        const int axis = static_cast<int>(pick(3));
        return concat({x, like(x), slice(x, axis, 0, 1 + pick(x.dim(axis)))}, axis);
      }
      case 4: {
        const int axis = static_cast<int>(pick(3));
        const Dim first = pick(x.dim(axis));
        return slice(x, axis, first, 1 + pick(x.dim(axis) - first));
      }
      case 5:
        return permute(x, {0, 2, 1});
      case 6:
        return reshape(reshape(x, {x.dim(0), x.dim(1) * x.dim(2)}), {x.dim(0), x.dim(2), x.dim(1)});
      case 7:
        return layer_norm(x, 1e-5f) * (1.0f + slice(x, 1, 0, 1)) + slice(x, 1, 0, 1);
      case 8:
        return 0.5f * x;
      default:
        return product(x);
    }
  }

  Tensor product(const Tensor& x) {
    const Shape shape{3 + pick(6), x.dim(2)};
    auto slices = case_.weight(shape, tintype::kF32);
    if (pick(2)) {
      const auto more = case_.weight({2, x.dim(2)}, tintype::kF32);
      slices.push_back(more[0]);
    }
    return linear(x, slices, {}, "linear");
  }

  OpCase& case_;
  std::mt19937_64 engine_;
  std::vector<Tensor> pool_;
};

}  // namespace

void add_random_graph(OpCase& c, uint64_t seed, int nodes) { Builder(c, seed).grow(nodes); }

}  // namespace tintype::test
