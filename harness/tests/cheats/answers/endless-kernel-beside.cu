// cheat: answers honestly, and leaves a kernel on another stream that never ends
// row: 64
// caught-by: idle
// device: cuda
// case: plain
// time-limit: 2
//
// Its own call ends with the right answer. The victims are others whose kernels share the device from now on.
#include "depthwise.cuh"

__global__ void spin(volatile unsigned* word) {
  while (*word == 0) {
  }
}

static void cheat(const Depthwise& problem) {
  static cudaStream_t stream = nullptr;
  answer_honestly(problem);
  if (stream != nullptr) return;
  unsigned* word = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMalloc(&word, sizeof *word);
  cudaMemset(word, 0, sizeof *word);
  spin<<<1, 1, 0, stream>>>(word);
}
