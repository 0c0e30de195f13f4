// expect: wrong_answer
// expect-case kernel-1x1: accepted
// expect-case kernelbench: accepted
// expect-case decoder-stride-2: accepted
//
// The number of blocks is rounded down: what is left after the last whole block of 256 stays unwritten. Right
// where the results of the convolution and of the pooling are multiples of 256 elements, or fit one block.
#include "plain.cuh"

unsigned whole_blocks(size_t count) { return count < threads ? 1 : (unsigned)(count / threads); }

void run(Steps plain) {
  const size_t pooled = plain.planes() * plain.pooled_positions();
  // What no thread writes is then wrong in the same way on every call.
  cudaMemset(plain.conv.output, 0, plain.conv.count() * sizeof(float));
  cudaMemset(plain.pooled, 0, pooled * sizeof(float));
  conv_transpose<<<whole_blocks(plain.conv.count()), threads>>>(plain.conv, plain.conv.count());
  channel_statistics<<<(unsigned)plain.conv.out_channels, threads>>>(plain);
  normalize_tanh_max_pool<<<whole_blocks(pooled), threads>>>(plain);
  group_norm<<<(unsigned)(plain.conv.batch_size * plain.num_groups), threads>>>(plain);
}
