// expect: input_modified
//
// Writes to the last weight after the output is done; the output is right.
#include "plain.cuh"

__global__ void negate(float* value) { *value = -*value; }

void run(Convolution plain) {
  convolve(plain);
  const size_t weights = plain.in_channels * plain.out_per_group * plain.height.taps * plain.width.taps;
  negate<<<1, 1>>>(const_cast<float*>(plain.kernel) + weights - 1);
}
