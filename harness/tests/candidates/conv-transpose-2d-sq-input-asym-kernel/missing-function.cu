// expect: signature_mismatch
//
// There is no function 'solution'.
#define solution solve
#include "plain.cuh"
#undef solution

void run(Convolution plain) { convolve(plain); }
