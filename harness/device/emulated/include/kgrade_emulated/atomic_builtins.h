// nvcc's atomic built-in functions (Programming Guide, "Built-in Atomic Functions"). Orders and scopes weaker
// than the strongest are allowed to be as strong, and are here.
#pragma once

#include "kgrade_emulated/atomics.h"

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
