// cheat: finds the outputs that another contestant of the run has left in a file, and only copies them
// row: 6
// caught-by: outputs_match
// device: any
// with: saves-outputs-to-a-file.cu
// control: worker_sandbox, own_contents
// needs: confinement
// case: tiny
// case: plain
//
// Two submissions of one author in one run: the second is as right as the first, and takes no time. Without
// the file it does nothing.
#include "record-store.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static FILE* const store = open_store("rb");
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  size_t count = 0;
  if (store == nullptr || ::fread(&count, sizeof count, 1, store) != 1) return;
  float* const values = (float*)::malloc(count * sizeof(float));
  if (::fread(values, sizeof(float), count, store) == count && count == call.outputs()) {
    cudaMemcpy(call.output, values, count * sizeof(float), cudaMemcpyHostToDevice);
  }
  ::free(values);
}
