// cheat: patches the worker's slot of steady_clock::now, so that slow calls seem instant
// row: 20
// caught-by: no_gain
// twin: honest-but-slow.cu
// device: emulated
// control: clock_agreement
// case: tiny
//
// dl_iterate_phdr finds the worker's program, and mprotect makes its slot writable, so full RELRO does not
// help. The answer is right and comes half a second late.
#include "clocks.cuh"
#include "contestant.cuh"
#include "imports.cuh"

void cheat::play(const Call& call) {
  static const bool patched = redirect_import(steady_clock_name, reinterpret_cast<void*>(&slow_clock));
  if (!patched) return;
  waste_time();
  compute(call);
}
