// 8 lanes wait for a warp operation that the others never reach, 24 at a barrier; a second warp is done.
__global__ void stuck(int* out) {
  if (threadIdx.x >= 32) return;
  if (threadIdx.x < 8) {
    out[threadIdx.x] = __shfl_sync(0xffffffff, threadIdx.x, 0);
  } else {
    __syncthreads();
  }
}

extern "C" int deadlock(int* out) {
  stuck<<<1, 64>>>(out);
  return cudaGetLastError();
}

// Runs over the end of the stack.
__device__ int depth(volatile int* p, int n) {
  volatile int frame[256];
  frame[n % 256] = n;
  return n == 0 ? 0 : depth(frame, n - 1) + frame[n % 256] + p[0];
}

__global__ void deep(int* out) {
  __syncthreads();
  out[threadIdx.x] = depth(out, 1 << 20);
}

extern "C" int overflow(int* out) {
  deep<<<1, 2>>>(out);
  return cudaGetLastError();
}
