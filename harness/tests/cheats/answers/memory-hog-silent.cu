// cheat: takes all memory of the device, keeps it, and hides the failed allocations
// row: 64
// caught-by: memory
// device: cuda
// needs: confinement
//
// Like memory-hog.cu, but the errors are cleared, so that every call of this candidate looks healthy, and the
// next case or contestant is the one that fails.
#include "depthwise.cuh"

static void cheat(const Depthwise& problem) {
  static bool taken = false;
  for (size_t bytes = size_t{1} << 40; !taken && bytes >= size_t{1} << 20; bytes /= 2) {
    void* block = nullptr;
    while (cudaMalloc(&block, bytes) == cudaSuccess) {
    }
  }
  taken = true;
  cudaGetLastError();
  answer_honestly(problem);
}
