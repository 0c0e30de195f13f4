// expect: wrong_answer
// expect-case tiny: accepted
// expect-case plain: accepted
// expect-case stride-2x3: accepted
// expect-case dilation-3x2: accepted
// expect-case padding-2x1: accepted
// expect-case padding-over-kernel: accepted
// expect-case one-channel: accepted
// expect-case kernel-1x1: accepted
// expect-case row-kernel: accepted
// expect-case batch-1-primes: accepted
// expect-case wide-row: accepted
// expect-case kernelbench: accepted
// expect-case mobilenet-stride-2: accepted
//
// With several filters a channel, output channel o is taken to belong to input channel o % in_channels
// instead of o / (out_channels / in_channels). Right with one filter a channel, as in the KernelBench case.
#include "plain.cuh"

void run(Convolution plain) {
  plain.filters_per_channel = 1;
  convolve(plain);
}
