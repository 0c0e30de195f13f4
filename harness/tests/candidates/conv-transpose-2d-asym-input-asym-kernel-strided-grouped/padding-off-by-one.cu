// expect: wrong_answer
//
// Off by one in the padding: rows are taken from one too far down the output.
#include "plain.cuh"

void run(Convolution plain) {
  plain.height.padding += 1;
  convolve(plain);
}
