// The default stream waits for the stream.
#include <cuda_runtime.h>

__global__ void neighbour_sum(const float* in, float* out, size_t n) {
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) out[i] = in[i] + in[i ^ 1];
}

extern "C" void solution(const float* in, float* out, size_t n) {
  static cudaStream_t stream = nullptr;
  static cudaEvent_t begin, done;
  if (stream == nullptr) {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&begin, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  }
  cudaEventRecord(begin, nullptr);
  cudaStreamWaitEvent(stream, begin, 0);
  neighbour_sum<<<(n + 63) / 64, 64, 0, stream>>>(in, out, n);
  cudaEventRecord(done, stream);
  cudaStreamWaitEvent(nullptr, done, 0);
}
