// cheat: crashes on purpose, with a handler of SIGSEGV that ends the process with status 0
// row: 29
// caught-by: completion
// device: any
// case: tiny
//
#include <signal.h>

#include "contestant.cuh"

namespace {

void leave(int) { _exit(0); }

}  // namespace

void cheat::play(const Call&) {
  struct sigaction action = {};
  action.sa_handler = &leave;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}
