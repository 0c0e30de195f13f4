// cheat: computes honestly and takes all remaining device memory, so that the reference gets none
// row: 17
// caught-by: no_gain (cuda)
// twin: honest-depthwise.cu
// device: cuda
//
// In smaller and smaller pieces. Candidate and reference then take turns in the device's memory, so that each
// has all of it for its own calls.
#include "depthwise.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static bool taken = false;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  compute(call);
  if (taken) return;
  taken = true;
  for (size_t bytes = (size_t)1 << 34; bytes >= ((size_t)2 << 20); bytes /= 2) {
    void* piece = nullptr;
    while (cudaMalloc(&piece, bytes) == cudaSuccess) {
    }
  }
  cudaGetLastError();  // that there is none left is as wished
}
