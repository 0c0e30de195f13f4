// Atomic functions (Programming Guide, "Atomic Functions"), each for exactly the types that CUDA supports.
// Blocks run on several host threads, so these functions are atomic on the host. Each returns the old value.
#pragma once

#include <cstring>
#include <type_traits>

#include "kgrade_emulated/bits.h"
#include "vector_types.h"

namespace kgrade_emulated {

__extension__ typedef unsigned __int128 Bits128;

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
    const T old = bit_cast<T>(expected);
    const Bits wanted = bit_cast<Bits>(static_cast<T>(operation(old)));
    if (__atomic_compare_exchange_n(word, &expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
      return old;
  }
}

// Compares bits, so that a NaN equals itself.
template <class T>
T atomic_compare_and_swap(T* address, T compare, T value) {
  using Bits = typename Word<sizeof(T)>::type;
  Bits expected = bit_cast<Bits>(compare);
  __atomic_compare_exchange_n(reinterpret_cast<Bits*>(address), &expected, bit_cast<Bits>(value), false,
                              __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return bit_cast<T>(expected);
}

// Operations on 16 bytes. They are in the runtime and take a lock, since not every processor has an
// instruction for them.
Bits128 atomic_exchange_128(void* address, Bits128 value);
Bits128 atomic_compare_and_swap_128(void* address, Bits128 compare, Bits128 value);

template <class T>
constexpr bool is_atomic_128 = sizeof(T) == 16 && alignof(T) >= 16 && std::is_trivially_copyable_v<T>;

}  // namespace kgrade_emulated

// The scopes _block and _system make no difference here.
#define KGRADE_ATOMIC(name, type, expression)                                                     \
  inline type name(type* address, type value) {                                                   \
    return kgrade_emulated::atomic_update(address, [=](type old) -> type { return expression; }); \
  }                                                                                               \
  inline type name##_block(type* address, type value) { return name(address, value); }            \
  inline type name##_system(type* address, type value) { return name(address, value); }
#define KGRADE_ATOMIC_32(name, expression) \
  KGRADE_ATOMIC(name, int, expression)     \
  KGRADE_ATOMIC(name, unsigned int, expression)
#define KGRADE_ATOMIC_32_64(name, expression) \
  KGRADE_ATOMIC_32(name, expression)          \
  KGRADE_ATOMIC(name, long long, expression)  \
  KGRADE_ATOMIC(name, unsigned long long, expression)

// Signed sums wrap around.
KGRADE_ATOMIC(atomicAdd, int, static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(value)))
KGRADE_ATOMIC(atomicAdd, unsigned int, old + value)
KGRADE_ATOMIC(atomicAdd, unsigned long long, old + value)
KGRADE_ATOMIC(atomicAdd, float, old + value)
KGRADE_ATOMIC(atomicAdd, double, old + value)
KGRADE_ATOMIC(atomicSub, int, static_cast<int>(static_cast<unsigned>(old) - static_cast<unsigned>(value)))
KGRADE_ATOMIC(atomicSub, unsigned int, old - value)
KGRADE_ATOMIC_32(atomicExch, (static_cast<void>(old), value))
KGRADE_ATOMIC(atomicExch, unsigned long long, (static_cast<void>(old), value))
KGRADE_ATOMIC(atomicExch, float, (static_cast<void>(old), value))
KGRADE_ATOMIC_32_64(atomicMin, value < old ? value : old)
KGRADE_ATOMIC_32_64(atomicMax, value > old ? value : old)
KGRADE_ATOMIC_32_64(atomicAnd, old& value)
KGRADE_ATOMIC_32_64(atomicOr, old | value)
KGRADE_ATOMIC_32_64(atomicXor, old ^ value)
KGRADE_ATOMIC(atomicInc, unsigned int, old >= value ? 0 : old + 1)
KGRADE_ATOMIC(atomicDec, unsigned int, old == 0 || old > value ? value : old - 1)
#undef KGRADE_ATOMIC_32_64
#undef KGRADE_ATOMIC_32
#undef KGRADE_ATOMIC

#define KGRADE_ATOMIC_CAS(type)                                               \
  inline type atomicCAS(type* address, type compare, type value) {            \
    return kgrade_emulated::atomic_compare_and_swap(address, compare, value); \
  }                                                                           \
  inline type atomicCAS_block(type* address, type compare, type value) {      \
    return atomicCAS(address, compare, value);                                \
  }                                                                           \
  inline type atomicCAS_system(type* address, type compare, type value) {     \
    return atomicCAS(address, compare, value);                                \
  }
KGRADE_ATOMIC_CAS(int)
KGRADE_ATOMIC_CAS(unsigned int)
KGRADE_ATOMIC_CAS(unsigned long long)
KGRADE_ATOMIC_CAS(unsigned short)
#undef KGRADE_ATOMIC_CAS

// Each element is updated separately, as on a GPU. A GPU accepts only global memory.
#define KGRADE_ATOMIC_VECTORS(ending)                                                                        \
  inline float2 atomicAdd##ending(float2* address, float2 value) {                                           \
    return float2{atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};                         \
  }                                                                                                          \
  inline float4 atomicAdd##ending(float4* address, float4 value) {                                           \
    return float4{atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y),                          \
                  atomicAdd(&address->z, value.z), atomicAdd(&address->w, value.w)};                         \
  }                                                                                                          \
  template <class T>                                                                                         \
  std::enable_if_t<kgrade_emulated::is_atomic_128<T>, T> atomicExch##ending(T* address, T value) {           \
    using namespace kgrade_emulated;                                                                         \
    return bit_cast<T>(atomic_exchange_128(address, bit_cast<Bits128>(value)));                              \
  }                                                                                                          \
  template <class T>                                                                                         \
  std::enable_if_t<kgrade_emulated::is_atomic_128<T>, T> atomicCAS##ending(T* address, T compare, T value) { \
    using namespace kgrade_emulated;                                                                         \
    return bit_cast<T>(                                                                                      \
        atomic_compare_and_swap_128(address, bit_cast<Bits128>(compare), bit_cast<Bits128>(value)));         \
  }
KGRADE_ATOMIC_VECTORS()
KGRADE_ATOMIC_VECTORS(_block)
KGRADE_ATOMIC_VECTORS(_system)
#undef KGRADE_ATOMIC_VECTORS

// nvcc's atomic built-in functions (Programming Guide, "Built-in Atomic Functions"). Weaker orders and scopes
// may be as strong as the strongest, and are here.

enum {
  __NV_ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST
};
enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};

namespace kgrade_emulated {

template <class T>
using Operand = type_identity_t<std::remove_volatile_t<T>>;

}  // namespace kgrade_emulated

template <class T>
T __nv_atomic_load_n(const T* address, int, int = __NV_THREAD_SCOPE_SYSTEM) {
  return __atomic_load_n(address, __ATOMIC_SEQ_CST);
}
template <class T>
void __nv_atomic_load(const T* address, T* value, int, int = __NV_THREAD_SCOPE_SYSTEM) {
  __atomic_load(address, value, __ATOMIC_SEQ_CST);
}
template <class T>
void __nv_atomic_store_n(T* address, kgrade_emulated::Operand<T> value, int, int = __NV_THREAD_SCOPE_SYSTEM) {
  __atomic_store_n(address, value, __ATOMIC_SEQ_CST);
}
template <class T>
void __nv_atomic_store(T* address, T* value, int, int = __NV_THREAD_SCOPE_SYSTEM) {
  __atomic_store(address, value, __ATOMIC_SEQ_CST);
}
template <class T>
T __nv_atomic_exchange_n(T* address, kgrade_emulated::Operand<T> value, int, int = __NV_THREAD_SCOPE_SYSTEM) {
  return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);
}
template <class T>
void __nv_atomic_exchange(T* address, T* value, T* old, int, int = __NV_THREAD_SCOPE_SYSTEM) {
  __atomic_exchange(address, value, old, __ATOMIC_SEQ_CST);
}
template <class T>
bool __nv_atomic_compare_exchange_n(T* address, T* expected, kgrade_emulated::Operand<T> desired, bool, int,
                                    int, int = __NV_THREAD_SCOPE_SYSTEM) {
  return __atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
template <class T>
bool __nv_atomic_compare_exchange(T* address, T* expected, T* desired, bool, int, int,
                                  int = __NV_THREAD_SCOPE_SYSTEM) {
  return __atomic_compare_exchange(address, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

#define KGRADE_FETCH(name, expression)                                                                 \
  template <class T>                                                                                   \
  T __nv_atomic_fetch_##name(T* address, kgrade_emulated::Operand<T> value, int,                       \
                             int = __NV_THREAD_SCOPE_SYSTEM) {                                         \
    return kgrade_emulated::atomic_update(address, [=](T old) { return static_cast<T>(expression); }); \
  }
KGRADE_FETCH(add, old + value)
KGRADE_FETCH(sub, old - value)
KGRADE_FETCH(and, old& value)
KGRADE_FETCH(or, old | value)
KGRADE_FETCH(xor, old ^ value)
KGRADE_FETCH(min, value < old ? value : old)
KGRADE_FETCH(max, value > old ? value : old)
#undef KGRADE_FETCH

inline void __nv_atomic_thread_fence(int, int = __NV_THREAD_SCOPE_SYSTEM) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
