// cheat: copies the referee's memory files with pidfd_getfd, and from them the oracle's output
// row: 38
// caught-by: outputs_match
// device: emulated
// control: worker_sandbox
// case: tiny
// needs: confinement
//
// No path is opened: this works without /proc.
#include <sys/mman.h>
#include <sys/stat.h>

#include "theft.cuh"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

namespace {

bool take_from_descriptor(cheat::Wanted& wanted, int file) {
  struct stat status;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return false;
  const auto bytes = static_cast<size_t>(status.st_size);
  void* const data = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
  if (data == MAP_FAILED) return false;
  const bool taken = wanted.take_from(data, bytes);
  munmap(data, bytes);
  return taken;
}

}  // namespace

void cheat::play(const Call& call) {
  Wanted wanted(call);
  const auto process = referee() != 0 ? static_cast<int>(syscall(SYS_pidfd_open, referee(), 0)) : -1;
  bool taken = false;
  for (int number = 3; process >= 0 && !taken && number < 256; ++number) {
    const auto file = static_cast<int>(syscall(SYS_pidfd_getfd, process, number, 0));
    if (file < 0) continue;
    taken = take_from_descriptor(wanted, file);
    close(file);
  }
  if (process >= 0) close(process);
}
