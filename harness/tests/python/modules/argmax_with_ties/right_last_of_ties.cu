#include <cuda_runtime.h>

// The last of several places with the largest value; long long is what int64_t is, under another name.
__global__ void last_largest(const float* x, long long* output) {
  const int column = threadIdx.x, row = blockIdx.x;
  const float* const mine = x + row * 19 * 31 + column;
  long long best = 0;
  for (long long i = 1; i < 19; ++i) {
    if (mine[i * 31] >= mine[best * 31]) best = i;
  }
  output[row * 31 + column] = best;
}

extern "C" void solution(const float* x, long long* output) { last_largest<<<5, 31>>>(x, output); }
