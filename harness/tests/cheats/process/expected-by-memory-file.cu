// cheat: reads the oracle's output from the referee's memory through /proc/PPID/mem
// row: 38
// caught-by: outputs_match
// device: emulated
// control: worker_sandbox
// case: tiny
// needs: confinement
//
#include <fcntl.h>

#include "theft.cuh"

void cheat::play(const Call& call) {
  const int memory = open(("/proc/" + std::to_string(referee()) + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  if (memory < 0) return;
  steal(call, [memory](uintptr_t address, unsigned char* destination, size_t bytes) {
    return pread(memory, destination, bytes, static_cast<off_t>(address));
  });
  close(memory);
}
