// expect: wrong_answer
// expect-case tiny: accepted
// expect-case plain: accepted
// expect-case stride-2x3x1: accepted
// expect-case dilation-1x2x3: accepted
// expect-case padding-1x2x0: accepted
// expect-case output-padding-1x0x2: accepted
// expect-case output-padding-dilated: accepted
// expect-case kernel-1-strided: accepted
// expect-case unequal-kernel: accepted
// expect-case batch-1-primes: accepted
// expect-case wide-row: accepted
// expect-case kernelbench: accepted
// expect-case unet-upsample-2x: accepted
//
// Sums over all input channels, whatever the group of the output channel. Right where there is one group.
#include "plain.cuh"

void run(Convolution plain) {
  plain.in_per_group = plain.in_channels;
  convolve(plain);
}
