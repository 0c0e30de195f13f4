// expect: wrong_answer
// expect-case tiny: accepted
// expect-case output-1x1x1: accepted
// expect-case everything: accepted
// expect-case kernelbench: accepted
// expect-case unet-upsample-2x: accepted
//
// The number of blocks is rounded down: what is left after the last whole block of 256 stays unwritten. Right
// where the output is a multiple of 256 elements, or fits one block.
#include "plain.cuh"

void run(Convolution plain) {
  const size_t count = plain.count();
  const unsigned blocks = count < threads ? 1 : (unsigned)(count / threads);
  conv_transpose<<<blocks, threads>>>(plain, count);
}
