// 2^31 is 1 in this field, so the upper bits of a product are added to the lower ones.
#include <cuda_runtime.h>

__global__ void multiply(const unsigned* a, const unsigned* b, unsigned* out, size_t n) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned p = 2147483647u;
  const unsigned long long product = (unsigned long long)a[i] * b[i];
  unsigned folded = (unsigned)(product & p) + (unsigned)(product >> 31);
  if (folded >= p) folded -= p;
  out[i] = folded;
}

extern "C" void solution(const unsigned* d_input1, const unsigned* d_input2, unsigned* d_output, size_t n) {
  multiply<<<(unsigned)((n + 255) / 256), 256>>>(d_input1, d_input2, d_output, n);
}
