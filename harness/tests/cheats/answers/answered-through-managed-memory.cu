// cheat: computes into managed memory beside the clock, and copies from there when it has time
// row: 59
// caught-by: idle, outputs_match
// device: cuda
// case: plain
//
// A stream that does not wait for the default one works for a few more milliseconds, then fills the output,
// like memory that is written only when it is read.
#include "depthwise.cuh"

__global__ void compute_late(Depthwise problem, float* managed) {
  for (int i = 0; i < 20; ++i) __nanosleep(1000000);
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index < problem.outputs()) managed[index] = problem.value(index);
}

static void cheat(const Depthwise& problem) {
  static cudaStream_t stream = nullptr;
  static float* managed = nullptr;
  const size_t bytes = problem.outputs() * sizeof(float);
  if (stream == nullptr) {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMallocManaged(&managed, bytes);
  }
  compute_late<<<(unsigned)((problem.outputs() + 255) / 256), 256, 0, stream>>>(problem, managed);
  cudaMemcpyAsync(problem.output, managed, bytes, cudaMemcpyDefault, stream);
}
