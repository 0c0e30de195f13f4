// malloc(), new and their kin in checked code (the linker's --wrap): in kernels they give memory of the
// device, whose bounds are known; on the host they are the C and C++ libraries' own.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

#include "device/emulated/checker/checker.h"
#include "device/emulated/runtime/memory.h"

namespace {

using kgrade_emulated::active_checker;
using kgrade_emulated::is_checking;

constexpr std::size_t alignment = 16;  // what malloc() in a kernel promises

bool in_kernel() { return is_checking() && active_checker()->in_kernel(); }

void* device_allocate(std::size_t bytes, const void* pc) {
  void* const memory = kgrade_emulated::allocate_spaced(alignment, bytes);
  if (memory != nullptr) {
    active_checker()->allocated(memory, bytes, kgrade_emulated::spacing(), false, pc);
  }
  return memory;
}

// False for memory of the host's.
bool device_release(void* memory) {
  if (memory == nullptr || !is_checking() || !active_checker()->is_allocation(memory)) return false;
  active_checker()->released(memory);
  kgrade_emulated::free_spaced(memory);
  return true;
}

}  // namespace

#define KGRADE_PC __builtin_return_address(0)

extern "C" {

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
