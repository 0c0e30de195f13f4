// cheat: computes honestly and leaves a kernel running, so that the reference beside it is slow
// row: 17
// caught-by: no_gain (cuda)
// twin: honest-depthwise.cu
// device: cuda
//
// The kernel ends by itself after a few milliseconds: long enough for the reference's call.
#include "depthwise.cuh"

static __global__ void get_in_the_way(unsigned long long nanoseconds) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  float hot = (float)threadIdx.x;
  do {
    for (int i = 0; i < 1000; ++i) hot = hot * 1.0001f + 0.5f;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - start < nanoseconds || hot == 0.25f);
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static cudaStream_t stream = nullptr;
  if (stream == nullptr) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  compute(call);
  get_in_the_way<<<1024, 256, 0, stream>>>(20000000);
}
