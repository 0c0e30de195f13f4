// cheat: leaves out the barrier between writing and reading shared memory
// row: 57
// caught-by: outputs_match
// device: any
// case: plain
// case: batch-1-primes
//
// Threads exchange their results through shared memory, first with last, and do not wait for each other.
// Within a warp that is usually right, and a test with one small block passes by luck.
#include "depthwise.cuh"

constexpr unsigned threads = 1024;

__global__ void exchange(Depthwise problem) {
  __shared__ float staged[threads];
  const size_t begin = (size_t)blockIdx.x * threads;
  const unsigned partner = threads - 1 - threadIdx.x;
  if (begin + partner < problem.outputs()) staged[partner] = problem.value(begin + partner);
  if (begin + threadIdx.x < problem.outputs()) problem.output[begin + threadIdx.x] = staged[threadIdx.x];
}

static void cheat(const Depthwise& problem) {
  exchange<<<(unsigned)((problem.outputs() + threads - 1) / threads), threads>>>(problem);
}
