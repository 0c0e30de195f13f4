// expect: runtime_error
//
// A block of 2048 threads is more than a GPU can launch; nothing runs, and the error stays in
// cudaGetLastError().
#include "plain.cuh"

void run(Convolution plain) {
  const unsigned too_many = 2048;
  conv_transpose<<<blocks_for(plain.count()), too_many>>>(plain, plain.count());
}
