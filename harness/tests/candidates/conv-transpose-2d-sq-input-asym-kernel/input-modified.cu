// expect: input_modified
//
// Writes to an input after the output is done; the output is right.
#include "plain.cuh"

__global__ void add_one(float* value) { *value += 1; }

void run(Convolution plain) {
  convolve(plain);
  add_one<<<1, 1>>>(const_cast<float*>(plain.input));
}
