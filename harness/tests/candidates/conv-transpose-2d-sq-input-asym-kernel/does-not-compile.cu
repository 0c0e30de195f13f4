// expect: compile_error
//
// A name is misspelt.
#include "plain.cuh"

void run(Convolution plain) { convolve(plian); }
