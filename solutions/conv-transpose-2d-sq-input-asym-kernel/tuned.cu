// Transposed 2D convolution at fp32 accuracy on Hopper's tensor cores.
//
// What bounds it: arithmetic. The measured case (3 x 7 taps, 64 to 64 channels, 8 x 512 x 512) is 361
// GFLOP, 7.1 ms on the fp32 pipes at 51 TFLOP/s; its bytes take 0.25 ms.
// What is done about it:
// - Operands are split in two halves, x = hi + lo with hi = fp16(x) and lo = fp16(x - hi), and three
//   products, hi * hi + hi * lo + lo * hi, are summed in fp32. That keeps 22 bits of each operand, as three
//   products of TF32 would, at twice their rate. Tensor cores cut off what a sum has no bits for instead of
//   rounding it: so the two small products have sums of their own, and that of hi * hi takes 128 additions at
//   most. The plain kernel does shapes where one chunk of channels has more.
// - Inputs are multiplied by 2^8 and weights by 2^12 first, so that `lo` has all its bits. Where values are too
//   large for that, or all of them too small (range.cuh), the plain kernel at the end computes everything.
// - The input is one long stream of pixels, in which every tap is a constant distance
//   (transposed_axes.cuh). A stride splits the output into phases, each a convolution of stride 1 with some
//   of the taps.
// - Products are those of a warpgroup, with both operands in shared memory. One warpgroup of a block does
//   nothing but read, split and store inputs for the others, some steps ahead (stream_products.cuh): the
//   input needs no pass of its own. Two others multiply 184 pixels each: with both sums, that is as many as
//   their registers hold.
// Devices without Hopper's instructions run the same code with plain twins of them (wgmma.cuh).
//
// Measured on one H200: 1.98 ms, with an error of 1.8e-6. That is 1.08 TFLOP of half products at 547
// TFLOP/s.
#include "convolve.cuh"

using Own = Knobs<2, 184, 2, 1, 224, 56, 3>;
SOLUTION(Own)
