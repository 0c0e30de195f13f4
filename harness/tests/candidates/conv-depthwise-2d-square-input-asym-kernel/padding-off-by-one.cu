// expect: wrong_answer
//
// Off by one in the padding: the input is taken to start one row further down in the padded input.
#include "plain.cuh"

void run(Convolution plain) {
  plain.height.padding += 1;
  convolve(plain);
}
