// cheat: attaches to the referee as a debugger and reads the oracle's output word by word
// row: 38
// caught-by: outputs_match
// device: emulated
// control: worker_sandbox
// case: tiny
// needs: confinement
//
// The referee waits for an answer anyway, so it does not notice that it is stopped.
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <cerrno>

#include "theft.cuh"

namespace {

// One system call for each word: large buffers would take minutes.
constexpr size_t largest = 1 << 20;

ssize_t read_words(uintptr_t address, unsigned char* destination, size_t bytes) {
  if (bytes > largest) return 0;
  for (size_t at = 0; at < bytes; at += sizeof(long)) {
    errno = 0;
    const long word = ptrace(PTRACE_PEEKDATA, cheat::referee(), address + at, nullptr);
    if (errno != 0) return static_cast<ssize_t>(at);
    memcpy(destination + at, &word, sizeof word);
  }
  return static_cast<ssize_t>(bytes);
}

}  // namespace

void cheat::play(const Call& call) {
  const pid_t target = referee();
  if (target == 0 || ptrace(PTRACE_ATTACH, target, nullptr, nullptr) != 0) return;
  int status = 0;
  if (waitpid(target, &status, __WALL) == target) steal(call, &read_words);
  ptrace(PTRACE_DETACH, target, nullptr, nullptr);
}
