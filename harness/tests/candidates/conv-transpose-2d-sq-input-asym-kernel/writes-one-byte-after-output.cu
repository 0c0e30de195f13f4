// expect: out_of_bounds
//
// Writes a single byte right after the end of the output; the output itself is right.
#include "plain.cuh"

__global__ void flip_byte(unsigned char* byte) { *byte ^= 0xff; }

void run(Convolution plain) {
  convolve(plain);
  flip_byte<<<1, 1>>>(reinterpret_cast<unsigned char*>(plain.output + plain.count()));
}
