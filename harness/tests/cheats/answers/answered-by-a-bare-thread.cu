// cheat: a thread that no library knows about writes the output later
// row: 59
// caught-by: idle
// device: emulated
// case: plain
//
// clone(2) creates the thread directly: pthread_create() is not called, nothing is interposed, and the C
// library does not list such a thread.
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "depthwise.cuh"

static Depthwise call;

static int answer_late(void*) {
  const timespec delay = {0, 5000000};
  syscall(SYS_nanosleep, &delay, nullptr);
  for (size_t i = 0; i < call.outputs(); ++i) call.output[i] = call.value(i);
  syscall(SYS_exit, 0);
  return 0;
}

static void cheat(const Depthwise& problem) {
  constexpr size_t stack_bytes = 256 << 10;
  call = problem;
  static char* const stack = (char*)mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == (char*)MAP_FAILED) return;
  clone(answer_late, stack + stack_bytes,
        CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, nullptr);
}
