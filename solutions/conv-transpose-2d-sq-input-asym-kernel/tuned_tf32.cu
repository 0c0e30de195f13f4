// kgrade: precision tf32
//
// Transposed 2D convolution on Hopper's tensor cores with half operands.
//
// The same as tuned.cu with one product in place of three: inputs and weights are rounded to fp16, whose
// significand has the 11 bits that TF32's has, and which tensor cores multiply at twice the rate of TF32.
// Powers of two that they are multiplied by keep them in fp16's range. Where values are too large for that, or
// all of them too small (range.cuh), the plain kernel at the end computes everything in fp32.
//
// What bounds it: with a third of the products, what feeds them. The cache has to give each block all weights
// and three times its pixels, 2.6 GB in all, so two warpgroups of a block read and round inputs for the three
// that multiply.
//
// Measured on one H200: 1.32 ms.
#include "convolve.cuh"

using Own = Knobs<1, 128, 3, 2, 104, 80, 4>;
SOLUTION(Own)
