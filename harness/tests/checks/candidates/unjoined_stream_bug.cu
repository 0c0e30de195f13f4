// Nothing waits for the stream.
#include <cuda_runtime.h>

__global__ void neighbour_sum(const float* in, float* out, size_t n) {
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) out[i] = in[i] + in[i ^ 1];
}

extern "C" void solution(const float* in, float* out, size_t n) {
  static cudaStream_t stream = nullptr;
  if (stream == nullptr) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  neighbour_sum<<<(n + 63) / 64, 64, 0, stream>>>(in, out, n);  // finding: unjoined_stream (gpu: any)
}
