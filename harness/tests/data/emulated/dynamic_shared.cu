// Dynamic shared memory: in a kernel, in a template, at namespace scope, several arrays in one, and more than
// the default limit.
#include <cuda_runtime.h>

#include <cstddef>

__global__ void reverse_kernel(int* data, int n) {
  extern __shared__ int buffer[];
  if (threadIdx.x < n) buffer[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < n) data[threadIdx.x] = buffer[n - 1 - threadIdx.x];
}

extern "C" int reverse(int* data, int n) {
  reverse_kernel<<<1, 256, n * sizeof(int)>>>(data, n);
  return cudaGetLastError();
}

template <typename T>
__global__ void two_parts_kernel(const T* input, T* output) {
  extern __shared__ __align__(16) unsigned char memory[];
  T* values = reinterpret_cast<T*>(memory);
  int* order = (int*)&values[blockDim.x];
  values[threadIdx.x] = input[threadIdx.x];
  order[threadIdx.x] = (threadIdx.x + 1) % blockDim.x;
  __syncthreads();
  output[threadIdx.x] = values[order[threadIdx.x]];
}

extern "C" int rotate(const double* input, double* output, int n) {
  two_parts_kernel<double><<<1, n, n * (sizeof(double) + sizeof(int)), 0>>>(input, output);
  return cudaGetLastError();
}

extern __shared__ float4 quads[];
__shared__ float column[64], last;

__global__ void namespace_scope_kernel(const float* input, float* output) {
  float* singles = reinterpret_cast<float*>(quads);
  singles[threadIdx.x] = input[blockIdx.x * 64 + threadIdx.x];
  column[threadIdx.x] = 2.0f;
  if (threadIdx.x == 63) last = input[blockIdx.x * 64 + 63];
  __syncthreads();
  const float4 quad = quads[threadIdx.x / 4];
  output[blockIdx.x * 64 + threadIdx.x] = (quad.x + quad.y + quad.z + quad.w) * column[63 - threadIdx.x] + last;
}

extern "C" int namespace_scope(const float* input, float* output, int blocks) {
  namespace_scope_kernel<<<blocks, 64, 64 * sizeof(float)>>>(input, output);
  return cudaGetLastError();
}

__global__ void large_kernel(float* output, int n) {
  extern __shared__ float large[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) large[i] = i;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) output[i] = large[n - 1 - i];
}

// 1 when the launch is refused without the attribute and runs with it.
extern "C" int opt_in(float* output, int n) {
  large_kernel<<<1, 64, n * sizeof(float)>>>(output, n);
  if (cudaGetLastError() == cudaSuccess) return 0;
  cudaFuncSetAttribute(large_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, n * sizeof(float));
  large_kernel<<<1, 64, n * sizeof(float)>>>(output, n);
  return cudaGetLastError() == cudaSuccess;
}

// Reads shared memory that nobody wrote.
__global__ void unwritten_kernel(float* output) {
  __shared__ float never[4];
  extern __shared__ float neither[];
  output[threadIdx.x] = threadIdx.x < 4 ? never[threadIdx.x] : neither[threadIdx.x - 4];
}

extern "C" int unwritten(float* output) {
  unwritten_kernel<<<1, 8, 4 * sizeof(float)>>>(output);
  return cudaGetLastError();
}
