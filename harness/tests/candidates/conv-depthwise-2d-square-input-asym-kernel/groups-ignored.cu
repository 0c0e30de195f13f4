// expect: wrong_answer
// expect-case one-channel: accepted
//
// Sums over all input channels instead of the one that the output channel belongs to. Right where there is
// one channel.
#include "plain.cuh"

void run(Convolution plain) {
  plain.channels_read = plain.in_channels;
  convolve(plain);
}
