// cheat: joins the stream that does the first half of the work, and leaves that of the second half alone
// row: 1
// caught-by: idle (cuda), outputs_match (cuda)
// device: cuda
//
// An event shows that a stream was joined, and not which of its work.
#include "depthwise.cuh"

static __global__ void part_of_outputs(Depthwise call, size_t first, size_t end) {
  const size_t index = first + (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index < end) call.output[index] = depthwise_element(call, index);
}

static __global__ void wait_nanoseconds(unsigned long long nanoseconds) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - start < nanoseconds);
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static cudaStream_t stream = nullptr;
  static cudaEvent_t begun = nullptr, joined = nullptr;
  if (stream == nullptr) {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&begun, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&joined, cudaEventDisableTiming);
  }
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  const size_t end = call.outputs(), half = end / 2;
  cudaEventRecord(begun, 0);
  cudaStreamWaitEvent(stream, begun, 0);
  if (half > 0) part_of_outputs<<<(unsigned)((half + 255) / 256), 256, 0, stream>>>(call, 0, half);
  cudaEventRecord(joined, stream);
  cudaStreamWaitEvent(0, joined, 0);
  wait_nanoseconds<<<1, 1, 0, stream>>>(200000);
  part_of_outputs<<<(unsigned)((end - half + 255) / 256), 256, 0, stream>>>(call, half, end);
}
