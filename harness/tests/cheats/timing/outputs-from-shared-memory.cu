// cheat: finds the outputs that another contestant of the run has left in shared memory, and only copies them
// row: 6
// caught-by: outputs_match
// case: plain (cuda)
// device: any
// with: saves-outputs-to-shared-memory.cu
// control: worker_sandbox, own_contents
// needs: confinement
//
// Nothing is written to any file: a segment of System V shared memory outlives the process that made it.
// Without it the call does nothing.
#include "record-store.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Segment* const store = open_segment(false);
  static size_t read = 0;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  size_t bytes = 0;
  if (store == nullptr || read + sizeof bytes > store->used) return;
  ::memcpy(&bytes, store->bytes + read, sizeof bytes);
  if (bytes == call.outputs() * sizeof(float)) {
    cudaMemcpy(call.output, store->bytes + read + sizeof bytes, bytes, cudaMemcpyHostToDevice);
  }
  read += sizeof bytes + bytes;
}
