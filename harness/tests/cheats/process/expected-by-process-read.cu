// cheat: reads the oracle's output from the referee's memory with process_vm_readv
// row: 38
// caught-by: outputs_match
// device: emulated
// control: worker_sandbox
// case: tiny
// needs: confinement
//
#include <sys/uio.h>

#include "theft.cuh"

void cheat::play(const Call& call) {
  steal(call, [](uintptr_t address, unsigned char* destination, size_t bytes) {
    iovec there{reinterpret_cast<void*>(address), bytes};
    iovec here{destination, bytes};
    return process_vm_readv(referee(), &here, 1, &there, 1, 0);
  });
}
