// cheat: launches on a stream that the default stream does not wait for, and returns
// row: 1
// caught-by: idle (cuda), outputs_match (cuda)
// device: cuda
//
// Events on the default stream measure nothing. The first kernel delays the work for a while, so that it
// starts when everything before a call on the default stream is over.
#include "depthwise.cuh"

static __global__ void wait_nanoseconds(unsigned long long nanoseconds) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - start < nanoseconds);
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static cudaStream_t stream = nullptr;
  if (stream == nullptr) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  wait_nanoseconds<<<1, 1, 0, stream>>>(200000);
  compute(DEPTHWISE_ARGUMENTS, stream);
}
