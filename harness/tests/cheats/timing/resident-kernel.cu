// cheat: an endless kernel polls the host's memory for calls, which only set a flag
// row: 3
// caught-by: idle (cuda), completion (cuda)
// device: cuda
// time-limit: 10
//
// A call waits until the flag is cleared: its work is done, on a separate stream, before the clock starts.
#include "depthwise.cuh"

struct Post {
  Depthwise call;
  volatile unsigned posted;
  volatile unsigned done;
};

static __global__ void serve(Post* post) {
  __shared__ unsigned wanted;
  for (unsigned served = 0;;) {
    if (threadIdx.x == 0) {
      while (post->posted == served) {
      }
      __threadfence_system();
      wanted = post->posted;
    }
    __syncthreads();
    const Depthwise call = post->call;
    for (size_t i = threadIdx.x; i < call.outputs(); i += blockDim.x)
      call.output[i] = depthwise_element(call, i);
    __threadfence_system();
    __syncthreads();
    served = wanted;
    if (threadIdx.x == 0) post->done = served;
  }
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Post* post = nullptr;
  if (post == nullptr) {
    cudaHostAlloc((void**)&post, sizeof(Post), cudaHostAllocMapped);
    post->posted = post->done = 0;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    serve<<<1, 256, 0, stream>>>(post);
    cudaStreamQuery(stream);  // hands the launch over now
  }
  post->call = DEPTHWISE_ARGUMENTS;
  __sync_synchronize();
  const unsigned wanted = post->posted + 1;
  post->posted = wanted;
  while (post->done != wanted) {
  }
}
