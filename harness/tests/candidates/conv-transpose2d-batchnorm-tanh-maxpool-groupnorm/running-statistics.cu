// expect: wrong_answer
//
// BatchNorm as a new layer does it in evaluation mode, with running mean 0 and running variance 1, instead of
// the statistics of the batch.
#include "plain.cuh"

__global__ void running_statistics(Steps s) {
  s.mean[threadIdx.x] = 0;
  s.inverse_deviation[threadIdx.x] = 1.0f / sqrtf(1.0f + epsilon);
}

void run(Steps plain) {
  convolve(plain.conv);
  running_statistics<<<1, (unsigned)plain.conv.out_channels>>>(plain);
  finish(plain);
}
