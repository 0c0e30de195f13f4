// expect: wrong_answer
// expect-case tiny: accepted
// expect-case plain: accepted
// expect-case stride-2: accepted
// expect-case stride-2x3: accepted
// expect-case stride-1x2: accepted
// expect-case padding-1x3: accepted
// expect-case output-padding-1: accepted
// expect-case groups-4: accepted
// expect-case groups-3-stride-2: accepted
// expect-case kernel-1x1: accepted
// expect-case batch-1-primes: accepted
// expect-case output-1x1: accepted
// expect-case wide-row: accepted
// expect-case everything: accepted
// expect-case kernelbench: accepted
// expect-case upsample-2x: accepted
//
// Relies on an output that was zero before: positions that no tap reaches are not written. Right where there
// are none.
#include "plain.cuh"

__device__ bool is_reached(const Axis& axis, size_t output) {
  for (size_t tap = 0; tap < axis.taps; ++tap) {
    if (source(axis, output, tap) != axis.input) return true;
  }
  return false;
}

__global__ void conv_transpose_where_reached(Convolution plain) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= plain.count()) return;
  const Axis &height = plain.height, &width = plain.width;
  const bool reached =
      is_reached(height, index / width.output % height.output) && is_reached(width, index % width.output);
  if (reached) plain.output[index] = sum_at(plain, index);
}

void run(Convolution plain) { conv_transpose_where_reached<<<blocks_for(plain.count()), threads>>>(plain); }
