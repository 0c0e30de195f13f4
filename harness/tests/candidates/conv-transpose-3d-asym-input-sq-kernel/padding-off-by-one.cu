// expect: wrong_answer
//
// Off by one in the padding: planes are taken from one too far along the depth of the output.
#include "plain.cuh"

void run(Convolution plain) {
  plain.depth.padding += 1;
  convolve(plain);
}
