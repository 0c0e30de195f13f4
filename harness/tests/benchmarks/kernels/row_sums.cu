// One block of 256 threads for each row: warp shuffles, then one warp over the sums of the warps.
#include <cuda_runtime.h>

__inline__ __device__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
  return value;
}

__global__ void row_sums_kernel(const float* input, float* sums, int columns) {
  __shared__ float partial[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += input[blockIdx.x * columns + i];
  sum = warp_sum(sum);
  if (lane == 0) partial[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  sum = warp_sum(lane < blockDim.x / 32 ? partial[lane] : 0.0f);
  if (lane == 0) sums[blockIdx.x] = sum;
}

extern "C" void row_sums(const float* input, float* sums, int rows, int columns) {
  row_sums_kernel<<<rows, 256>>>(input, sums, columns);
}
