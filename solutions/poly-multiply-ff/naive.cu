// Each thread computes one coefficient.
#include <cuda_runtime.h>

__global__ void multiply(const unsigned* a, const unsigned* b, unsigned* out, long long n) {
  const long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= 2 * n - 1) return;
  const unsigned long long p = 2147483647ull;
  unsigned long long sum = 0;
  for (long long i = k < n ? 0 : k - n + 1; i <= k && i < n; ++i) sum += (unsigned long long)a[i] * b[k - i] % p;
  out[k] = (unsigned)(sum % p);
}

extern "C" void solution(const unsigned* d_input1, const unsigned* d_input2, unsigned* d_output, size_t n) {
  multiply<<<(unsigned)((2 * n - 1 + 127) / 128), 128>>>(d_input1, d_input2, d_output, (long long)n);
}
