#include "device/emulated/worker_limits.h"

#include <sys/resource.h>

#include <cstddef>
#include <new>

#include "base/compiler.h"
#include "base/subprocess.h"
#include "device/emulated/runtime/emulated_runtime.h"
#include "device/emulated/runtime/limits.h"

namespace kgrade::emulated {
namespace {

namespace limits = kgrade_emulated::limits;

std::size_t memory_bytes() { return kgrade_emulated::device_memory_bytes() + limits::host_memory_bytes; }

// malloc() and operator new know nothing but the process that they are in.
kgrade_emulated::LimitHandler excess_handler = nullptr;

void out_of_memory() {
  if (excess_handler != nullptr) excess_handler(kgrade_emulated::Limit::memory, memory_bytes());
}

// Those of the device are few, and a contestant needs none.
constexpr unsigned int most_descriptors = 512;

void set_limit(__rlimit_resource resource, rlim_t now, rlim_t most) {
  const rlimit limit{now, most};
  ::setrlimit(resource, &limit);
}

}  // namespace

void limit_contestant(kgrade_emulated::LimitHandler on_excess) {
  excess_handler = on_excess;
  kgrade_emulated::set_limit_handler(on_excess);
  std::set_new_handler(&out_of_memory);
  kgrade_emulated::limit_program();
  set_limit(RLIMIT_STACK, limits::host_stack_bytes, limits::host_stack_bytes);
  set_limit(RLIMIT_FSIZE, limits::file_bytes, limits::file_bytes);
  limit_descriptors(most_descriptors);
#ifndef KGRADE_SANITIZED
  // Lent buffers are shared memory and do not count; the device's own stacks get room as they are made. A
  // sanitizer's shadow would count.
  const rlim_t stacks = kgrade_emulated::host_threads() * rlim_t{limits::stack_bytes_per_host_thread};
  set_limit(RLIMIT_DATA, memory_bytes(), memory_bytes() + stacks);
#endif
}

}  // namespace kgrade::emulated

// An unchecked null pointer would crash elsewhere, so that the worker's own malloc(), which
// is also that of contestants and of operator new, says what has happened. (__libc_malloc and its kin are the
// C library's own names of the functions that these stand before.)
#if defined(__GLIBC__) && !defined(KGRADE_SANITIZED)
extern "C" {

void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);

void* malloc(std::size_t bytes) {
  void* const memory = __libc_malloc(bytes);
  if (memory == nullptr) kgrade::emulated::out_of_memory();
  return memory;
}

void* calloc(std::size_t count, std::size_t bytes) {
  void* const memory = __libc_calloc(count, bytes);
  if (memory == nullptr) kgrade::emulated::out_of_memory();
  return memory;
}

void* realloc(void* old, std::size_t bytes) {
  void* const memory = __libc_realloc(old, bytes);
  if (memory == nullptr && bytes != 0) kgrade::emulated::out_of_memory();
  return memory;
}
}
#endif
