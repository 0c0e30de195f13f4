// The functions that code built with -fsanitize=thread,alignment calls: those of ThreadSanitizer's and
// UndefinedBehaviorSanitizer's run-time interfaces (compiler-rt, tsan_interface.h, tsan_interface_atomic.h,
// ubsan_handlers.h), and the linker's replacements of memcpy(), malloc(), new and their relatives (--wrap).
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "device/emulated/checker/checker.h"
#include "device/emulated/runtime/memory.h"

namespace {

using kgrade_emulated::Access;
using kgrade_emulated::active_checker;
using kgrade_emulated::is_checking;
using kgrade_emulated::number;

void report(const volatile void* address, std::size_t bytes, bool write, const void* pc) {
  if (const auto checker = active_checker()) {
    checker->access({number(address), static_cast<std::uint32_t>(bytes), write, false, false, pc});
  }
}

// Code without atomics uses volatile accesses to wait for another block, so volatile accesses to global
// memory synchronise.
void report_volatile(const volatile void* address, std::size_t bytes, bool write, const void* pc) {
  if (const auto checker = active_checker()) {
    checker->access({number(address), static_cast<std::uint32_t>(bytes), write, false, true, pc});
  }
}

void report_atomic(const volatile void* address, std::size_t bytes, bool write, const void* pc) {
  if (const auto checker = active_checker()) {
    const Access access{number(address), static_cast<std::uint32_t>(bytes), write, true, false, pc};
    checker->access(access);
  }
}

constexpr std::size_t alignment = 16;  // malloc() in a kernel guarantees it

bool in_kernel() { return is_checking() && active_checker()->in_kernel(); }

void* device_allocate(std::size_t bytes, const void* pc) {
  void* const memory = kgrade_emulated::allocate_spaced(alignment, bytes);
  if (memory != nullptr) {
    active_checker()->allocated(memory, bytes, kgrade_emulated::spacing(), false, pc);
  }
  return memory;
}

// False for the host's memory.
bool device_release(void* memory) {
  if (memory == nullptr || !is_checking() || !active_checker()->is_allocation(memory)) return false;
  active_checker()->released(memory);
  kgrade_emulated::free_spaced(memory);
  return true;
}

}  // namespace

#define KGRADE_PC __builtin_return_address(0)

#define KGRADE_ACCESSES(bytes)                                                                           \
  void __tsan_read##bytes(void* address) { report(address, bytes, false, KGRADE_PC); }                   \
  void __tsan_write##bytes(void* address) { report(address, bytes, true, KGRADE_PC); }                   \
  void __tsan_unaligned_read##bytes(void* address) { report(address, bytes, false, KGRADE_PC); }         \
  void __tsan_unaligned_write##bytes(void* address) { report(address, bytes, true, KGRADE_PC); }         \
  void __tsan_volatile_read##bytes(void* address) { report_volatile(address, bytes, false, KGRADE_PC); } \
  void __tsan_volatile_write##bytes(void* address) { report_volatile(address, bytes, true, KGRADE_PC); } \
  void __tsan_unaligned_volatile_read##bytes(void* address) {                                            \
    report_volatile(address, bytes, false, KGRADE_PC);                                                   \
  }                                                                                                      \
  void __tsan_unaligned_volatile_write##bytes(void* address) {                                           \
    report_volatile(address, bytes, true, KGRADE_PC);                                                    \
  }

// All memory orders are treated as the strongest.
#define KGRADE_FETCH(bits, type, operation)                                               \
  type __tsan_atomic##bits##_fetch_##operation(volatile type* address, type value, int) { \
    report_atomic(address, sizeof(type), true, KGRADE_PC);                                \
    return __atomic_fetch_##operation(address, value, __ATOMIC_SEQ_CST);                  \
  }

#define KGRADE_ATOMICS(bits, type)                                                                          \
  type __tsan_atomic##bits##_load(const volatile type* address, int) {                                      \
    report_atomic(address, sizeof(type), false, KGRADE_PC);                                                 \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                      \
  }                                                                                                         \
  void __tsan_atomic##bits##_store(volatile type* address, type value, int) {                               \
    report_atomic(address, sizeof(type), true, KGRADE_PC);                                                  \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                                     \
  }                                                                                                         \
  type __tsan_atomic##bits##_exchange(volatile type* address, type value, int) {                            \
    report_atomic(address, sizeof(type), true, KGRADE_PC);                                                  \
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                           \
  }                                                                                                         \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type* address, type* expected, type wanted,    \
                                                    int, int) {                                             \
    report_atomic(address, sizeof(type), true, KGRADE_PC);                                                  \
    return __atomic_compare_exchange_n(address, expected, wanted, false, __ATOMIC_SEQ_CST,                  \
                                       __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                         \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type* address, type* expected, type wanted, int, \
                                                  int) {                                                    \
    report_atomic(address, sizeof(type), true, KGRADE_PC);                                                  \
    return __atomic_compare_exchange_n(address, expected, wanted, false, __ATOMIC_SEQ_CST,                  \
                                       __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                         \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type* address, type expected, type wanted, int,  \
                                                  int) {                                                    \
    report_atomic(address, sizeof(type), true, KGRADE_PC);                                                  \
    __atomic_compare_exchange_n(address, &expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);     \
    return expected;                                                                                        \
  }                                                                                                         \
  KGRADE_FETCH(bits, type, add)                                                                             \
  KGRADE_FETCH(bits, type, sub)                                                                             \
  KGRADE_FETCH(bits, type, and)                                                                             \
  KGRADE_FETCH(bits, type, or)                                                                              \
  KGRADE_FETCH(bits, type, xor)                                                                             \
  KGRADE_FETCH(bits, type, nand)

extern "C" {

KGRADE_ACCESSES(1)
KGRADE_ACCESSES(2)
KGRADE_ACCESSES(4)
KGRADE_ACCESSES(8)
KGRADE_ACCESSES(16)

void __tsan_read_range(void* address, std::size_t bytes) { report(address, bytes, false, KGRADE_PC); }
void __tsan_write_range(void* address, std::size_t bytes) { report(address, bytes, true, KGRADE_PC); }
void __tsan_vptr_read(void** address) { report(address, sizeof *address, false, KGRADE_PC); }
void __tsan_vptr_update(void** address, void*) { report(address, sizeof *address, true, KGRADE_PC); }
void __tsan_init() {}
void __tsan_func_entry(void* caller) {
  if (const auto checker = active_checker()) checker->enters(caller);
}
void __tsan_func_exit() {
  if (const auto checker = active_checker()) checker->leaves();
}

KGRADE_ATOMICS(8, std::uint8_t)
KGRADE_ATOMICS(16, std::uint16_t)
KGRADE_ATOMICS(32, std::uint32_t)
KGRADE_ATOMICS(64, std::uint64_t)

void __tsan_atomic_thread_fence(int) {
  if (const auto checker = active_checker()) checker->fence();
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) {}

// TypeMismatchData: the place in the source, the type, log2 of the required alignment, and the kind of
// access.
struct KgradeTypeMismatch {
  struct {
    const char* file;
    std::uint32_t line;
    std::uint32_t column;
  } place;
  const void* type;
  unsigned char log_alignment;
  unsigned char kind;  // 0: load, 1: store; others bind a reference, call a member, ...
};

void __ubsan_handle_type_mismatch_v1(KgradeTypeMismatch* data, std::uintptr_t pointer) {
  const std::size_t alignment = std::size_t{1} << data->log_alignment;
  const auto checker = active_checker();
  if (!checker || pointer % alignment == 0) return;
  checker->misaligned(reinterpret_cast<const void*>(pointer), alignment, data->kind == 1, data->kind > 1,
                      KGRADE_PC);
}

void* __wrap_memcpy(void* to, const void* from, std::size_t bytes) {
  report(from, bytes, false, KGRADE_PC);
  report(to, bytes, true, KGRADE_PC);
  return std::memcpy(to, from, bytes);
}

void* __wrap_memmove(void* to, const void* from, std::size_t bytes) {
  report(from, bytes, false, KGRADE_PC);
  report(to, bytes, true, KGRADE_PC);
  return std::memmove(to, from, bytes);
}

void* __wrap_memset(void* to, int byte, std::size_t bytes) {
  report(to, bytes, true, KGRADE_PC);
  return std::memset(to, byte, bytes);
}

// In kernels these functions allocate device memory, whose bounds are known. On the host they call the C and
// C++ libraries.
void* __wrap_malloc(std::size_t bytes) {
  return in_kernel() ? device_allocate(bytes, KGRADE_PC) : std::malloc(bytes);
}

void* __wrap_calloc(std::size_t count, std::size_t bytes) {
  if (!in_kernel()) return std::calloc(count, bytes);
  void* const memory = device_allocate(count * bytes, KGRADE_PC);
  if (memory != nullptr) active_checker()->written(std::memset(memory, 0, count * bytes), count * bytes);
  return memory;
}

void __wrap_free(void* memory) {
  if (!device_release(memory)) std::free(memory);
}

void* __wrap__Znwm(std::size_t bytes) {
  return in_kernel() ? device_allocate(bytes, KGRADE_PC) : ::operator new(bytes);
}
void* __wrap__Znam(std::size_t bytes) {
  return in_kernel() ? device_allocate(bytes, KGRADE_PC) : ::operator new[](bytes);
}
void __wrap__ZdlPv(void* memory) {
  if (!device_release(memory)) ::operator delete(memory);
}
void __wrap__ZdlPvm(void* memory, std::size_t) {
  if (!device_release(memory)) ::operator delete(memory);
}
void __wrap__ZdaPv(void* memory) {
  if (!device_release(memory)) ::operator delete[](memory);
}
void __wrap__ZdaPvm(void* memory, std::size_t) {
  if (!device_release(memory)) ::operator delete[](memory);
}

}  // extern "C"
