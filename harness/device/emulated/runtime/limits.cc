#include "device/emulated/runtime/limits.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>

#include "device/emulated/runtime/block_runner.h"

namespace kgrade_emulated {
namespace {

constexpr std::size_t signal_stack_bytes = 64 * 1024;

std::atomic<LimitHandler> limit_handler{nullptr};

// The calling thread's own stack. Empty before use_signal_stack().
constinit thread_local NativeStack native_stack{0, 0};

std::uintptr_t stack_pointer_of(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(machine.gregs[REG_RSP]);
#else
  return machine.sp;
#endif
}

void on_fault(int signal, siginfo_t* info, void* context) {
  // A stack overflow touches memory at its stack pointer or above; a stray pointer may hit a guard page too,
  // from a healthy stack.
  constexpr std::uintptr_t below_stack_pointer = 4096;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  BlockRunner::report_shared_overrun(address);
  if (address + below_stack_pointer >= stack_pointer_of(context)) {
    if (const std::size_t bytes = BlockRunner::stack_that_ends_at(address))
      limit_reached(Limit::stack, bytes);
    // The kernel keeps a gap of 1 MiB below the stack of the main thread. For other threads, the C library
    // has a gap of a page or more, in or below the range that it reports as the stack.
    constexpr std::uintptr_t gap = 1 << 20, guard = 1 << 16;
    if (native_stack.lowest != 0 && address >= native_stack.lowest - gap &&
        address < native_stack.lowest + guard)
      limit_reached(Limit::stack, native_stack.bytes);
  }
  if (device_memory_was_refused()) limit_reached(Limit::memory, device_memory_bytes());
  // Any other fault occurs again after the return, and then ends the process.
  ::signal(signal, SIG_DFL);
}

}  // namespace

NativeStack native_stack_of_this_thread() {
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return {0, 0};
  void* lowest = nullptr;
  std::size_t bytes = 0;
  ::pthread_attr_getstack(&attributes, &lowest, &bytes);
  ::pthread_attr_destroy(&attributes);
  return {reinterpret_cast<std::uintptr_t>(lowest), bytes};
}

void set_limit_handler(LimitHandler handler) { limit_handler = handler; }

void limit_reached(Limit limit, std::size_t bytes) {
  if (const LimitHandler handler = limit_handler) handler(limit, bytes);
  const char* const message =
      limit == Limit::memory ? "emulated device: out of memory\n" : "emulated device: stack overflow\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message, limit == Limit::memory ? 31 : 32);
  std::abort();
}

void make_room_for(std::size_t bytes) {
  static std::mutex* const one_at_a_time = new std::mutex;
  const std::lock_guard lock(*one_at_a_time);
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const rlim_t room = limit.rlim_max - limit.rlim_cur;
  limit.rlim_cur += std::min<rlim_t>(bytes, room);
  ::setrlimit(RLIMIT_DATA, &limit);
}

void use_signal_stack() {
  native_stack = native_stack_of_this_thread();
  // The memory is never freed, because the thread exists as long as the process.
  void* const memory =
      ::mmap(nullptr, signal_stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  stack_t stack{};
  stack.ss_sp = memory;
  stack.ss_size = signal_stack_bytes;
  ::sigaltstack(&stack, nullptr);
}

void limit_program() {
  use_signal_stack();
  struct sigaction action {};
  action.sa_sigaction = &on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigaction(SIGSEGV, &action, nullptr);
  ::sigaction(SIGBUS, &action, nullptr);
}

std::size_t device_memory_bytes() {
  const auto physical =
      static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return std::min(limits::device_memory_bytes, physical / 2);
}

}  // namespace kgrade_emulated
