// Atomic functions (Programming Guide, "Atomic Functions"). Blocks run on several host threads, so these are
// atomic for the host. Each returns the old value.
#pragma once

#include <bit>
#include <cstring>
#include <type_traits>

namespace kgrade_emulated {

template <std::size_t Size>
struct Word;
template <>
struct Word<2> {
  using type = unsigned short;
};
template <>
struct Word<4> {
  using type = unsigned int;
};
template <>
struct Word<8> {
  using type = unsigned long long;
};

// Replaces *address by operation(old) in one step.
template <class T, class Operation>
T atomic_update(T* address, Operation operation) {
  using Bits = typename Word<sizeof(T)>::type;
  Bits* const word = reinterpret_cast<Bits*>(address);
  Bits expected = __atomic_load_n(word, __ATOMIC_RELAXED);
  for (;;) {
    const T old = std::bit_cast<T>(expected);
    const Bits wanted = std::bit_cast<Bits>(static_cast<T>(operation(old)));
    if (__atomic_compare_exchange_n(word, &expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
      return old;
  }
}

// Values convert to the type that the address has, as the arguments of CUDA's overloads do.
template <class T>
using Value = std::type_identity_t<T>;

template <class T>
concept Integer = std::is_integral_v<T> &&(sizeof(T) == 4 || sizeof(T) == 8);
template <class T>
concept Number = Integer<T> || std::is_floating_point_v<T>;

}  // namespace kgrade_emulated

// _block and _system: the scope makes no difference here.
#define KGRADE_ATOMIC(name, concept_name, expression)                                       \
  template <kgrade_emulated::concept_name T>                                                \
  T name(T* address, kgrade_emulated::Value<T> value) {                                     \
    return kgrade_emulated::atomic_update(address, [=](T old) -> T { return expression; }); \
  }                                                                                         \
  template <kgrade_emulated::concept_name T>                                                \
  T name##_block(T* address, kgrade_emulated::Value<T> value) {                             \
    return name(address, value);                                                            \
  }                                                                                         \
  template <kgrade_emulated::concept_name T>                                                \
  T name##_system(T* address, kgrade_emulated::Value<T> value) {                            \
    return name(address, value);                                                            \
  }

KGRADE_ATOMIC(atomicAdd, Number, old + value)
KGRADE_ATOMIC(atomicSub, Number, old - value)
KGRADE_ATOMIC(atomicExch, Number, (static_cast<void>(old), value))
KGRADE_ATOMIC(atomicMin, Number, value < old ? value : old)
KGRADE_ATOMIC(atomicMax, Number, value > old ? value : old)
KGRADE_ATOMIC(atomicAnd, Integer, old& value)
KGRADE_ATOMIC(atomicOr, Integer, old | value)
KGRADE_ATOMIC(atomicXor, Integer, old ^ value)
KGRADE_ATOMIC(atomicInc, Integer, old >= value ? 0 : old + 1)
KGRADE_ATOMIC(atomicDec, Integer, old == 0 || old > value ? value : old - 1)
#undef KGRADE_ATOMIC

// Compares bits, so that a NaN equals itself.
template <class T>
requires(std::is_arithmetic_v<T> && sizeof(T) >= 2) T
    atomicCAS(T* address, kgrade_emulated::Value<T> compare, kgrade_emulated::Value<T> value) {
  using Bits = typename kgrade_emulated::Word<sizeof(T)>::type;
  Bits expected = std::bit_cast<Bits>(compare);
  __atomic_compare_exchange_n(reinterpret_cast<Bits*>(address), &expected, std::bit_cast<Bits>(value), false,
                              __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return std::bit_cast<T>(expected);
}
template <class T>
T atomicCAS_block(T* address, kgrade_emulated::Value<T> compare, kgrade_emulated::Value<T> value) {
  return atomicCAS(address, compare, value);
}
template <class T>
T atomicCAS_system(T* address, kgrade_emulated::Value<T> compare, kgrade_emulated::Value<T> value) {
  return atomicCAS(address, compare, value);
}
