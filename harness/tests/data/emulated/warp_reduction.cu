// Sums by warp shuffles, then over the warps of a block through shared memory; one block a row.
__inline__ __device__ float warp_sum(float value) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
  return value;
}

__global__ void row_sums_kernel(const float* input, float* output, int columns) {
  __shared__ float partial[32];
  const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += input[blockIdx.x * columns + i];
  sum = warp_sum(sum);
  if (lane == 0) partial[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = lane < (blockDim.x + warpSize - 1) / warpSize ? partial[lane] : 0.0f;
    sum = warp_sum(sum);
    if (lane == 0) output[blockIdx.x] = sum;
  }
}

extern "C" int row_sums(const float* input, float* output, int rows, int columns) {
  row_sums_kernel<<<rows, 128>>>(input, output, columns);
  return cudaGetLastError();
}

// What each lane of one warp gets from the other operations: 12 values a lane.
__global__ void warp_operations_kernel(int* out) {
  const int lane = threadIdx.x;
  int* mine = out + 12 * lane;
  mine[0] = __shfl_sync(0xffffffff, lane * 10, 5);
  mine[1] = __shfl_sync(0xffffffff, lane, 1, 8);
  mine[2] = __shfl_up_sync(0xffffffff, lane, 3, 16);
  mine[3] = __shfl_down_sync(0xffffffff, lane, 3, 16);
  mine[4] = __shfl_xor_sync(0xffffffff, lane, 1);
  mine[5] = static_cast<int>(__ballot_sync(0xffffffff, lane % 3 == 0));
  mine[6] = __any_sync(0xffffffff, lane == 31);
  mine[7] = __all_sync(0xffffffff, lane < 31);
  mine[8] = static_cast<int>(__match_any_sync(0xffffffff, lane / 8));
  mine[9] = static_cast<int>(__reduce_add_sync(0xffffffff, static_cast<unsigned>(lane)));
  // Two groups of a warp at the same time, each with its own mask.
  const unsigned mask = lane < 16 ? 0x0000ffffu : 0xffff0000u;
  double value = lane;
  if (lane < 16) {
    for (int offset = 8; offset > 0; offset /= 2) value += __shfl_xor_sync(mask, value, offset, 16);
  } else {
    value = __shfl_sync(mask, value, 20);
  }
  mine[10] = static_cast<int>(value);
  __syncwarp();
  mine[11] = __shfl_xor_sync(0xffffffff, mine[0], 16);
}

extern "C" int warp_operations(int* out) {
  warp_operations_kernel<<<1, 32>>>(out);
  return cudaGetLastError();
}

// Which lanes are converged: the odd ones return, the others take two ways, three of them with a shuffle.
__global__ void active_mask_kernel(unsigned int* out) {
  const unsigned int lane = threadIdx.x;
  if (lane % 2 == 1) return;
  out[lane] = __activemask();
  if (lane < 6) {
    const unsigned int mask = __activemask();
    out[lane + 1] = mask + __shfl_sync(mask, lane, 4);
  } else {
    out[lane + 1] = __activemask();
  }
}

extern "C" int active_mask(unsigned int* out) {
  active_mask_kernel<<<1, 32>>>(out);
  return cudaGetLastError();
}

// Lanes that returned before are not waited for.
__global__ void after_return_kernel(int* out) {
  if (threadIdx.x >= 20) return;
  out[threadIdx.x] = __popc(__ballot_sync(0xffffffff, 1));
}

extern "C" int after_return(int* out) {
  after_return_kernel<<<1, 32>>>(out);
  return cudaGetLastError();
}
