// expect: wrong_answer
//
// Off by one in the padding: rows are taken from one too far down the output.
#include "plain.cuh"

void run(Steps plain) {
  plain.conv.height.padding += 1;
  take_steps(plain);
}
