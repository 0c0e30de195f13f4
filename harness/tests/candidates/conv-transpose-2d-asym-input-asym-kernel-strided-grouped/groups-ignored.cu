// expect: wrong_answer
// expect-case plain: accepted
// expect-case stride-2x3: accepted
// expect-case dilation-2x3: accepted
// expect-case padding-2x1: accepted
// expect-case output-padding-1x2: accepted
// expect-case output-padding-dilated: accepted
// expect-case kernel-1x1-strided: accepted
// expect-case stride-over-kernel: accepted
// expect-case batch-1-primes: accepted
// expect-case wide-row: accepted
// expect-case decoder-upsample-2x: accepted
//
// Sums over all input channels, whatever the group of the output channel. Right where there is one group.
#include "plain.cuh"

void run(Convolution plain) {
  plain.in_per_group = plain.in_channels;
  convolve(plain);
}
