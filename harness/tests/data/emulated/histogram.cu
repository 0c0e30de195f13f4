// Atomics on shared and global memory of each type.
#include <stdio.h>

#include <cuda_runtime.h>

__global__ void histogram_kernel(const unsigned char* data, unsigned int* bins, int n) {
  __shared__ unsigned int local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[data[i]], 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(bins + i, local[i]);
}

extern "C" int histogram(const unsigned char* data, unsigned int* bins, int n) {
  cudaMemset(bins, 0, 256 * sizeof(unsigned int));
  histogram_kernel<<<12, 192>>>(data, bins, n);
  return cudaGetLastError();
}

struct Totals {
  int i, least, greatest, exchanged;
  unsigned int wrapped;
  unsigned long long u;
  float f;
  double d;
  unsigned int bits;
  float maximum_by_cas;
};

__device__ void atomic_max_float(float* address, float value) {
  int* bits = reinterpret_cast<int*>(address);
  int old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
  } while (assumed != old);
}

__global__ void totals_kernel(Totals* totals) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&totals->i, -1);
  atomicMin(&totals->least, -i);
  atomicMax(&totals->greatest, i);
  atomicExch(&totals->exchanged, 7);
  atomicInc(&totals->wrapped, 9);
  atomicAdd(&totals->u, 1ull << 32);
  atomicAdd(&totals->f, 0.5f);
  atomicAdd(&totals->d, 0.25);
  atomicOr(&totals->bits, 1u << (i % 32));
  atomic_max_float(&totals->maximum_by_cas, float(i));
}

extern "C" int totals(Totals* totals) {
  totals_kernel<<<8, 128>>>(totals);
  return cudaGetLastError();
}
