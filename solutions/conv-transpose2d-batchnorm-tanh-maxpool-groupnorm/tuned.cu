// ConvTranspose2D, BatchNorm, Tanh, MaxPool and GroupNorm at fp32 accuracy, in two passes over the
// convolution.
//
// What bounds it: the convolution's arithmetic. The measured case (5 x 5 taps, 64 to 128 channels, 512 x 32
// x 32) is 215 GFLOP, 4.2 ms on the fp32 pipes at 51 TFLOP/s. Its tensors take 0.05 ms; the convolution's
// result, which has to be kept because batch norm needs the sums of all of it first, takes 0.14 ms to write
// and to read once.
// What is done about the convolution:
// - Operands are split in two halves, x = hi + lo with hi = fp16(x) and lo = fp16(x - hi), and three
//   products, hi * hi + hi * lo + lo * hi, are summed in fp32. That keeps 22 bits of each operand, as three
//   products of TF32 would, at twice their rate. Tensor cores cut off what a sum has no bits for instead of
//   rounding it: so the two small products have sums of their own, and that of hi * hi takes 128 additions at
//   most. The plain kernel does shapes where one chunk of channels has more.
// - Inputs are multiplied by 2^8 and weights by 2^12 first, so that `lo` has all its bits. Where values are too
//   large for that, or all of them too small (range.cuh), plain kernels do the convolution.
// - The input is one long stream of pixels, in which every tap is a constant distance
//   (transposed_axes.cuh): images of 34 x 34 need no tiles that fit them.
// - Products are those of a warpgroup, with both operands in shared memory. One warpgroup of a block does
//   nothing but read, split and store inputs for the others, some steps ahead (stream_products.cuh).
// What is done about the rest:
// - `multiply` adds up what it writes, and its square, for each channel: batch norm costs no pass of its
//   own.
// - Batch norm, tanh, max pool and group norm are one pass (norms.cuh).
// Devices without Hopper's instructions run the same code with plain twins of them (wgmma.cuh).
//
// Measured on one H200: 1.31 ms, with an error of 1.5e-6. The convolution is 0.65 TFLOP of half products, and
// 6 % more for the zeros between images.
#include "convolve_and_norm.cuh"

using Own = Knobs<2, 184, 2, 1, 224, 56, 3>;
SOLUTION(Own)
