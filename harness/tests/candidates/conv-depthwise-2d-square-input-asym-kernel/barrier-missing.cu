// expect: wrong_answer
// device: emulated
// order: reverse
//
// A thread reads from shared memory what its left neighbour writes, without a barrier between: right by luck
// when threads run one after another in the forward order, and where a warp happens to do so.
#include "plain.cuh"

// Each thread writes what its left neighbour has worked out, and the last one its own sum too.
__global__ void depthwise_conv_without_barrier(Convolution plain) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  const size_t count = plain.count();
  if (index >= count) return;
  const float sum = sum_at(plain, index);
  __shared__ float sums[threads];
  sums[threadIdx.x] = sum;
  if (threadIdx.x > 0) plain.output[index - 1] = sums[threadIdx.x - 1];
  if (threadIdx.x == blockDim.x - 1 || index == count - 1) plain.output[index] = sum;
}

void run(Convolution plain) { depthwise_conv_without_barrier<<<blocks_for(plain.count()), threads>>>(plain); }
