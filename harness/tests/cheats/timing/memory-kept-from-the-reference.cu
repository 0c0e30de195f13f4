// cheat: computes honestly and takes all device memory that is left, so that the reference has to do without
// row: 17
// caught-by: memory (cuda)
// device: cuda
//
// In pieces that get smaller and smaller.
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
