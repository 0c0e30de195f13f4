// cheat: a thread created by the clone system call does the work after the call
// row: 2
// caught-by: idle (emulated)
// device: emulated
//
// It computes on the host's view of the device's memory, and stays for a while for the next call. If the
// sandbox refuses such a thread, the work is not done.
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "depthwise.cuh"

static Depthwise job;

// Nothing in here may need the state of a thread that a library created.
static int do_late(void*) {
  const timespec until_the_call_is_over = {0, 50 * 1000};
  ::syscall(SYS_nanosleep, &until_the_call_is_over, nullptr);
  compute_on_host(job);
  const timespec for_the_next = {0, 20 * 1000 * 1000};
  ::syscall(SYS_nanosleep, &for_the_next, nullptr);
  return 0;
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static constexpr int stacks = 64;
  static constexpr size_t stack_bytes = 1 << 16;
  static char* const memory = new char[stacks * stack_bytes];
  static int next = 0;
  job = DEPTHWISE_ARGUMENTS;
  char* const top = memory + (size_t)(next++ % stacks + 1) * stack_bytes;
  ::clone(do_late, top, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM,
          nullptr);
}
