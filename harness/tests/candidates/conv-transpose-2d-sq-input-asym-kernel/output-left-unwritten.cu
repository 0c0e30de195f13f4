// expect: wrong_answer
//
// The last element of the output is never written.
#include "plain.cuh"

void run(Convolution plain) {
  conv_transpose<<<blocks_for(plain.count()), threads>>>(plain, plain.count() - 1);
}
