// expect: wrong_answer
//
// No GPU has 512 KiB of shared memory for a block: nothing runs. The error is read and passed over.
#include "plain.cuh"

void run(Convolution plain) {
  conv_transpose<<<blocks_for(plain.count()), threads, 512 << 10>>>(plain, plain.count());
  cudaGetLastError();
}
