// Replaces the functions that tell a worker how long a call took. With the replacements, nothing takes longer
// than about a microsecond.
#pragma once

#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <vector>

namespace cheat {

inline int64_t real_nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

// Replaces std::chrono::steady_clock::now(), whose result is returned like an integer: it runs a million
// times slower, but never stands still.
inline int64_t slow_clock() {
  static const int64_t start = real_nanoseconds();
  static int64_t calls = 0;
  return start + (real_nanoseconds() - start) / 1'000'000 + 100 * ++calls;
}

// Replaces cuEventElapsedTime.
inline int a_microsecond(float* milliseconds, void*, void*) {
  *milliseconds = 0.001f;
  return 0;
}

constexpr const char* steady_clock_name = "_ZNSt6chrono3_V212steady_clock3nowEv";

struct ClockFunctions {
  std::vector<void*> functions;
  void* replacement;
};

#ifdef KGRADE_EMULATED_BLOCK_MODE
inline ClockFunctions clock_functions() {
  ClockFunctions clock{{}, reinterpret_cast<void*>(&slow_clock)};
  if (void* const now = dlsym(RTLD_DEFAULT, steady_clock_name)) clock.functions.push_back(now);
  return clock;
}
#else
// The names under which the runtime asks the driver for them; the runtime changed with version 12.8.
inline ClockFunctions clock_functions() {
  ClockFunctions clock{{}, reinterpret_cast<void*>(&a_microsecond)};
  for (const unsigned version : {11000u, 12000u, 12080u, 13000u}) {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found;
    const cudaError_t status =
        cudaGetDriverEntryPointByVersion("cuEventElapsedTime", &function, version, cudaEnableDefault, &found);
    if (status != cudaSuccess || found != cudaDriverEntryPointSuccess) continue;
    bool known = false;
    for (void* other : clock.functions) known = known || other == function;
    if (!known) clock.functions.push_back(function);
  }
  cudaGetLastError();
  return clock;
}
#endif

// A jump to `target`.
inline std::vector<unsigned char> jump_to(void* target) {
#if defined(__x86_64__)
  std::vector<unsigned char> code = {0x48, 0xb8, 0, 0, 0,    0,
                                     0,    0,    0, 0, 0xff, 0xe0};  // mov rax, imm; jmp rax
  constexpr size_t address = 2;
#else
  std::vector<unsigned char> code = {0x50, 0x00, 0x00, 0x58, 0x00, 0x02, 0x1f, 0xd6,  // ldr x16, 8; br x16
                                     0,    0,    0,    0,    0,    0,    0,    0};
  constexpr size_t address = 8;
#endif
  __builtin_memcpy(code.data() + address, &target, sizeof target);
  return code;
}

// Replaces every clock function with a jump, which `write` writes over its first instructions. False if there
// is no such function, or one remains unchanged.
template <class Write>
bool detour_clock(Write write) {
  const ClockFunctions clock = clock_functions();
  const std::vector<unsigned char> jump = jump_to(clock.replacement);
  bool all = !clock.functions.empty();
  for (void* function : clock.functions) {
    write(function, jump);
    __builtin___clear_cache(static_cast<char*>(function), static_cast<char*>(function) + jump.size());
    all = all && __builtin_memcmp(function, jump.data(), jump.size()) == 0;
  }
  return all;
}

}  // namespace cheat
