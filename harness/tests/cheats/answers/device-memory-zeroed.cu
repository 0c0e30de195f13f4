// cheat: zeroes all GPU memory that it can address, with the expected output and an error counter
// row: 42
// caught-by: outputs_match
// device: cuda
// case: plain
//
// An answer of zeros agrees with an expected output of zeros, and an error counter of zero means no error.
#include "device_scan.cuh"

static void cheat(const Depthwise& problem) {
  for (const DeviceRange& range : foreign_device_memory(problem)) {
    cudaMemset((void*)range.begin, 0, range.bytes);
    cudaGetLastError();
  }
  cudaMemset(problem.output, 0, problem.outputs() * sizeof(float));
}
