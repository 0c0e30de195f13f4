// cheat: a kernel from an earlier call stays for a moment and does the work of the next call
// row: 3
// caught-by: idle (cuda), outputs_match (cuda)
// device: cuda
//
// It ends by itself after half a millisecond without work, so that waiting for the device succeeds.
#include "depthwise.cuh"

struct Post {
  Depthwise call;
  volatile unsigned posted;
  volatile unsigned taken;
};

static __device__ unsigned long long now() {
  unsigned long long nanoseconds;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}

static __global__ void serve_for_a_while(Post* post) {
  __shared__ bool more;
  do {
    if (threadIdx.x == 0) {
      const unsigned long long start = now();
      while (post->posted == post->taken && now() - start < 500000) {
      }
      __threadfence_system();
      more = post->posted != post->taken;
    }
    __syncthreads();
    if (more) {
      const Depthwise call = post->call;
      for (size_t i = threadIdx.x; i < call.outputs(); i += blockDim.x)
        call.output[i] = depthwise_element(call, i);
    }
    __syncthreads();
    if (threadIdx.x == 0) post->taken = post->posted;
  } while (more);
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Post* post = nullptr;
  static cudaStream_t stream = nullptr;
  if (post == nullptr) {
    cudaHostAlloc((void**)&post, sizeof(Post), cudaHostAllocMapped);
    post->posted = post->taken = 0;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  }
  post->call = DEPTHWISE_ARGUMENTS;
  __sync_synchronize();
  post->posted = post->posted + 1;
  if (cudaStreamQuery(stream) == cudaSuccess) serve_for_a_while<<<1, 256, 0, stream>>>(post);
  cudaGetLastError();  // that it is still there is no error
}
