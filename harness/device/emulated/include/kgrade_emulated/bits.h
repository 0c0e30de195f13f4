// Replacements for C++20's <bit> and std::type_identity: candidates compile these headers as C++17, which is
// nvcc's default.
#pragma once

#include <type_traits>

namespace kgrade_emulated {

// The value of type To that has the bits of `value`.
template <class To, class From>
constexpr To bit_cast(const From& value) {
  static_assert(sizeof(To) == sizeof(From), "both have as many bits");
  return __builtin_bit_cast(To, value);
}

// T, in a place where it must not be deduced from an argument.
template <class T>
struct TypeIdentity {
  using type = T;
};
template <class T>
using type_identity_t = typename TypeIdentity<T>::type;

constexpr int popcount(unsigned int x) { return __builtin_popcount(x); }
constexpr int popcount(unsigned long long x) { return __builtin_popcountll(x); }
// For 0 they return the number of bits.
constexpr int countl_zero(unsigned int x) { return x == 0 ? 32 : __builtin_clz(x); }
constexpr int countl_zero(unsigned long long x) { return x == 0 ? 64 : __builtin_clzll(x); }
constexpr int countr_zero(unsigned int x) { return x == 0 ? 32 : __builtin_ctz(x); }
constexpr int countr_zero(unsigned long long x) { return x == 0 ? 64 : __builtin_ctzll(x); }

}  // namespace kgrade_emulated
