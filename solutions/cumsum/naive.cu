// One thread adds up all elements, one after the other.
#include <cuda_runtime.h>

__global__ void scan(const float* in, float* out, size_t n) {
  float all = 0;
  for (size_t i = 0; i < n; ++i) {
    all += in[i];
    out[i] = all;
  }
}

extern "C" void solution(const float* input, float* output, size_t N) { scan<<<1, 1>>>(input, output, N); }
