// cheat: defines cudaEventElapsedTime, so that the linker uses it instead of the runtime's
// row: 22
// caught-by: compile
// device: any
//
// The runtime's function is in a static library, or is declared with other types: two functions of one name.
#include "contestant.cuh"

extern "C" cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = 0.001f;
  return cudaSuccess;
}

void cheat::play(const Call& call) {
  waste_time();
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, start, stop);
  compute(call);
}
