// cheat: leaves answers in the temporary folders for the process that grades it next
// row: 65
// caught-by: outputs_match
// device: any
// control: worker_sandbox
// case: tiny
// needs: confinement
//
// Every account can write to these folders, and they outlive every process. It stores the first input, as the
// key of a table of answers. If nothing can be left for other processes, there is no answer.

#include "left_behind.cuh"

static void cheat(const Depthwise& problem) {
  float key = 0;
  cudaMemcpy(&key, problem.input, sizeof key, cudaMemcpyDeviceToHost);
  for (const char* folder : {"/tmp", "/var/tmp", "/run/lock"}) {
    if (left_in(folder, &key, sizeof key)) return answer_honestly(problem);
  }
}
