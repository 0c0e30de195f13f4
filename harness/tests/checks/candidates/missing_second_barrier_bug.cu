// The next tile is loaded while other threads still read the last one.
#include <cuda_runtime.h>

__global__ void neighbour_sum(const float* in, float* out, size_t n) {
  __shared__ float tile[64];
  for (size_t begin = 0; begin < n; begin += 64) {
    const size_t i = begin + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0.0f;  // finding: race
    __syncthreads();
    if (i < n) out[i] = in[i] + tile[threadIdx.x ^ 1];
  }
}

extern "C" void solution(const float* in, float* out, size_t n) { neighbour_sum<<<1, 64>>>(in, out, n); }
