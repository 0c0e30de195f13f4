// Grids and blocks of three dimensions, strides over a grid, and threads that return early.
#include <cuda_runtime.h>

__global__ void positions_kernel(int* out, dim3 extent) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= extent.x || y >= extent.y || z >= extent.z) return;
  atomicAdd(&out[(z * extent.y + y) * extent.x + x], int(x + 100 * y + 10000 * z));
}

extern "C" int positions(int* out, unsigned x, unsigned y, unsigned z) {
  const dim3 block(4, 3, 5);
  const dim3 grid((x + 3) / 4, (y + 2) / 3, (z + 4) / 5);
  positions_kernel<<<grid, block>>>(out, dim3(x, y, z));
  return cudaGetLastError();
}

__global__ void stride_kernel(float* data, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
    data[i] = data[i] * 2.0f + 1.0f;
  }
}

extern "C" int stride(float* data, size_t n) {
  stride_kernel<<<7, 96>>>(data, n);
  return cudaGetLastError();
}

// Threads that return before a barrier count as having come to it.
__global__ void early_return_kernel(const int* input, int* output, int n) {
  __shared__ int values[128];
  const int i = threadIdx.x;
  if (i >= n) return;
  values[i] = input[i];
  __syncthreads();
  const int even = __syncthreads_count(input[i] % 2 == 0);
  const int all = __syncthreads_and(input[i] >= 0);
  const int any = __syncthreads_or(input[i] == n);
  output[i] = values[n - 1 - i] + 1000 * even + 100000 * all + 200000 * any;
}

extern "C" int early_return(const int* input, int* output, int n) {
  early_return_kernel<<<1, 128>>>(input, output, n);
  return cudaGetLastError();
}

__global__ void nothing() {}

// The error of an empty kernel on a configuration.
extern "C" int launch_nothing(unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                              size_t shared_bytes) {
  nothing<<<dim3(gx, gy, gz), dim3(bx, by, bz), shared_bytes>>>();
  return cudaGetLastError();
}
