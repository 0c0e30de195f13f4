// cheat: allocates device memory for the answer, hoping that the expected one was freed there
// row: 40
// caught-by: outputs_match
// device: any
// case: plain
//
// An allocator that reuses the memory that was freed last hands over the reference's result, if the reference
// has just run in the same process. Here it runs in another one.
#include "depthwise.cuh"

static void cheat(const Depthwise& problem) {
  const size_t bytes = problem.outputs() * sizeof(float);
  void* found = nullptr;
  if (cudaMalloc(&found, bytes) != cudaSuccess) return;
  cudaMemcpy(problem.output, found, bytes, cudaMemcpyDeviceToDevice);
  cudaFree(found);
}
