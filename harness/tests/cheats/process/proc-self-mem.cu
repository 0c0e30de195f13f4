// cheat: writes a jump over the worker's clock through /proc/self/mem, which ignores page protection
// row: 21
// caught-by: outputs_match
// device: any
// control: clock_agreement, lower_bound, worker_sandbox
// case: tiny (emulated)
// case: mobilenet-stride-2 (cuda)
//
// mprotect is not called, so a filter or seal that forbids it changes nothing. If /proc/self/mem cannot be
// written to, nothing is computed.
#include <fcntl.h>
#include <stdio.h>

#include "clocks.cuh"
#include "contestant.cuh"

namespace {

void write_through_file(void* function, const std::vector<unsigned char>& code) {
  const int file = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  if (pwrite(file, code.data(), code.size(), reinterpret_cast<off_t>(function)) < 0) perror("/proc/self/mem");
  close(file);
}

}  // namespace

void cheat::play(const Call& call) {
  static const bool patched = detour_clock(&write_through_file);
  if (!patched) return;
  waste_time();
  compute(call);
}
