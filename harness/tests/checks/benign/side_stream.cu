// Work that nobody waits for, on memory of its own: the answer does not depend on it.
#include <cuda_runtime.h>

__global__ void neighbour_sum(const float* in, float* out, size_t n) {
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) out[i] = in[i] + in[i ^ 1];
}

extern "C" void solution(const float* in, float* out, size_t n) {
  static cudaStream_t stream = nullptr;
  static float* scratch = nullptr;
  if (stream == nullptr) {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc(&scratch, 256);
  }
  cudaMemsetAsync(scratch, 0, 256, stream);
  neighbour_sum<<<(n + 63) / 64, 64>>>(in, out, n);
}
