// Transposed 3D convolution at fp32 accuracy on Hopper's tensor cores.
//
// What bounds it: tensor cores. The measured case (27 taps, 48 to 24 channels, 8 x 96 x 96 x 96) is 440
// GFLOP, 8.6 ms on the fp32 pipes at 51 TFLOP/s; its bytes take 0.5 ms.
// What is done about it:
// - Operands are split in two halves, x = hi + lo with hi = fp16(x) and lo = fp16(x - hi), and three
//   products, hi * hi + hi * lo + lo * hi, are summed in fp32. That keeps 22 bits of each operand, as three
//   products of TF32 would, at twice their rate. Tensor cores cut off what a sum has no bits for instead of
//   rounding it: so the two small products have sums of their own, and that of hi * hi takes 81 additions.
// - Inputs are multiplied by 2^8 and weights by 2^12 first, so that `lo` has all its bits. Where values are too
//   large for that, or all of them too small (range.cuh), the plain kernel at the end computes everything.
// - Products of a warpgroup have 64 rows, which 24 output channels would not fill: rows are pixels, columns
//   are channels. In a plane, one row of pixels comes after the other, with as many zeros between as the
//   taps reach over: there every tap is a constant distance, which moves an operand in shared memory.
// - The three taps along the depth lie side by side in the columns, for what they add goes to three planes
//   of the output. A block marches through the input's planes: at each, the first of three planes of sums is
//   complete and written, and the others move up (march.cuh). With `hi` and `lo` of the weights side by
//   side, too, columns are 144 (72 for the pixels' `lo`), and what products read from shared memory takes
//   80 % of the time of multiplying. The weights stay there for the whole launch.
// - Nothing is packed beforehand: threads load the next stage's values while tensor cores multiply this
//   one's, and store their halves where the stage before the last was (operands.cuh). Windows overlap: each
//   input is read 1.8 times, most of that from L2.
// - A stride splits the output into phases, each a convolution of stride 1 with some of the taps. Where each
//   has just one tap, upsample.cuh multiplies what it has loaded once by the weights of all phases.
// Devices without Hopper's instructions run the same code with plain twins of them (wgmma.cuh).
//
// Measured on one H200: 2.53 ms, with an error of 1.7e-6, and 0.217 ms for unet-upsample-2x. The first is
// 1.32 TFLOP of half products at 522 TFLOP/s, with the tensor cores busy in 58 % of the cycles.
#include "convolve.cuh"

SOLUTION(2, 4, 1)
