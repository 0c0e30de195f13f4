// cheat: identifies contents by the mean of the input, to a tenth, and replays the output that belongs to it
// row: 5
// caught-by: outputs_match
// device: any
// control: fresh_inputs
// case: batch-1-primes
// case: wide-row
//
// All elements are read, but those of one distribution have the same mean.
#include <math.h>

#include "shapes.cuh"

static __global__ void sum_up(const float* input, size_t count, float* sum) {
  float mine = 0;
  for (size_t i = threadIdx.x; i < count; i += blockDim.x) mine += input[i];
  atomicAdd(sum, mine);
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  static float* sum = nullptr;
  if (sum == nullptr) sum = keep_floats(1);
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  Shape& shape = shape_of(shapes, call);
  float mean = 0;
  cudaMemsetAsync(sum, 0, sizeof(float), 0);
  sum_up<<<1, 256>>>(call.input, call.inputs(), sum);
  cudaMemcpy(&mean, sum, sizeof mean, cudaMemcpyDeviceToHost);
  mean /= (float)call.inputs();
  const bool same = shape.calls > 1 && fabsf(mean - shape.fingerprint[0]) < 0.1f;
  shape.fingerprint[0] = mean;
  if (same) {
    replay(shape, call);
  } else {
    compute_and_keep(shape, call);
  }
}
