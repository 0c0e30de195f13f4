// cheat: takes all memory of the device and keeps it
// row: 64
// caught-by: memory
// device: any
// case: tiny
// needs: confinement
//
// The next process gets none. The blocks become smaller as memory becomes scarce.
#include "depthwise.cuh"

static void cheat(const Depthwise& problem) {
  for (size_t bytes = size_t{1} << 40; bytes >= size_t{1} << 20; bytes /= 2) {
    void* block = nullptr;
    while (cudaMalloc(&block, bytes) == cudaSuccess) {
    }
  }
  answer_honestly(problem);
}
