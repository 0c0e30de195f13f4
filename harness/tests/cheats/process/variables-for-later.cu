// cheat: sets environment variables that make later programs load this library or drop their defences
// row: 25
// caught-by: outputs_match
// device: any
//
// As if workers, tools or the next contestant inherited them, or the grader read them. Nothing is computed.
#include <stdlib.h>

#include "contestant.cuh"
#include "replies.cuh"

namespace {

__attribute__((constructor)) void set_variables() {
  Dl_info info;
  const char* const library =
      dladdr(reinterpret_cast<void*>(&set_variables), &info) != 0 ? info.dli_fname : "/proc/self/fd/4";
  for (const char* name : {"LD_PRELOAD", "LD_AUDIT", "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"})
    setenv(name, library, 1);
  setenv("KGRADE_WITHOUT",
         "every_call_compared,whole_output_compared,clock_agreement,message_checks,worker_sandbox", 1);
  setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
}

}  // namespace

void cheat::play(const Call&) {}
