// ConvTranspose2d without barriers, one thread for each output: the plain way.
#include "conv_transpose.cuh"

extern "C" void conv_transpose(const float* input, const float* kernel, float* output, ConvTranspose p) {
  launch_conv_transpose(input, kernel, output, p);
}
