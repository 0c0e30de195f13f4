// A bitonic network, padded to a power of two.
#include <cuda_runtime.h>

#include <climits>

__global__ void load(const int* a, int* work, size_t n, size_t padded) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < padded) work[i] = i < n ? a[i] : INT_MAX;
}

__global__ void compare(int* work, size_t padded, size_t apart, size_t run) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, other = i ^ apart;
  if (i >= padded || other <= i) return;
  const bool ascending = (i & run) == 0;
  const int left = work[i], right = work[other];
  if ((left > right) == ascending) {
    work[i] = right;
    work[other] = left;
  }
}

__global__ void store(const int* work, int* b, size_t n) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = work[i];
}

extern "C" void solution(const int* a, int* b, size_t n) {
  size_t padded = 1;
  while (padded < n) padded *= 2;
  int* work;
  if (cudaMallocAsync((void**)&work, padded * sizeof(int), 0) != cudaSuccess) return;
  const unsigned blocks = (unsigned)((padded + 255) / 256);
  load<<<blocks, 256>>>(a, work, n, padded);
  for (size_t run = 2; run <= padded; run *= 2)
    for (size_t apart = run / 2; apart > 0; apart /= 2) compare<<<blocks, 256>>>(work, padded, apart, run);
  store<<<blocks, 256>>>(work, b, n);
  cudaFreeAsync(work, 0);
}
