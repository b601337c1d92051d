// Whole numbers, rounded up.
#pragma once

#include <concepts>
#include <type_traits>

namespace tintype {

// a / b for a >= 0, b > 0.
template <std::integral T>
constexpr T divide_up(T a, std::type_identity_t<T> b) {
  return (a + b - 1) / b;
}
// The multiple of `unit` at or above a.
template <std::integral T>
constexpr T round_up(T a, std::type_identity_t<T> unit) {
  return divide_up(a, unit) * unit;
}

}  // namespace tintype
