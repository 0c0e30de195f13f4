// Constant memory, device variables, the runtime API.
#include <cuda_runtime.h>

__constant__ float weights[3];
__constant__ int scale;
__device__ int calls = 5;
static __device__ float table[4] = {1, 2, 3, 4};

__global__ void stencil_kernel(const float* input, float* output, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) calls += 1;
  if (i >= n) return;
  float sum = 0;
  for (int tap = -1; tap <= 1; ++tap) {
    const int j = i + tap;
    if (j >= 0 && j < n) sum += weights[tap + 1] * __ldg(&input[j]);
  }
  output[i] = sum * scale + table[i % 4];
}

extern "C" int stencil(const float* input, float* output, int n) {
  const float host_weights[3] = {0.25f, 0.5f, 0.25f};
  const int host_scale = 2;
  cudaMemcpyToSymbol(weights, host_weights, sizeof host_weights);
  cudaMemcpyToSymbol(scale, &host_scale, sizeof(int), 0, cudaMemcpyHostToDevice);
  stencil_kernel<<<(n + 63) / 64, 64>>>(input, output, n);
  int seen = 0;
  cudaMemcpyFromSymbol(&seen, calls, sizeof seen);
  return seen == 6 ? cudaGetLastError() : -1;
}

// 0, or the line of the first call that did not do what CUDA does.
#define EXPECT(condition) \
  if (!(condition)) return __LINE__

extern "C" int runtime_api(void) {
  float *device = nullptr, *pinned = nullptr;
  EXPECT(cudaMalloc(&device, 1000 * sizeof(float)) == cudaSuccess);
  EXPECT(reinterpret_cast<unsigned long long>(device) % 256 == 0);
  EXPECT(device[999] != device[999]);
  EXPECT(cudaMallocHost(&pinned, 4000) == cudaSuccess);
  for (int i = 0; i < 1000; ++i) pinned[i] = i;
  EXPECT(cudaMemcpy(device, pinned, 4000, cudaMemcpyHostToDevice) == cudaSuccess);
  EXPECT(cudaMemset(pinned, 0, 4000) == cudaSuccess && pinned[7] == 0.0f);
  EXPECT(cudaMemcpyAsync(pinned, device, 4000, cudaMemcpyDeviceToHost, 0) == cudaSuccess && pinned[999] == 999.0f);
  EXPECT(cudaFree(device) == cudaSuccess && cudaFreeHost(pinned) == cudaSuccess);
  EXPECT(cudaFree(nullptr) == cudaSuccess);
  EXPECT(cudaFree(&device) == cudaErrorInvalidValue);
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaSuccess);
  EXPECT(cudaMalloc(&device, size_t(1) << 60) == cudaErrorMemoryAllocation && device == nullptr);
  EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);

  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreateWithFlags(&stop, cudaEventDefault);
  cudaEventRecord(start);
  cudaEventRecord(stop, 0);
  cudaEventSynchronize(stop);
  float milliseconds = -1;
  EXPECT(cudaEventElapsedTime(&milliseconds, start, stop) == cudaSuccess && milliseconds >= 0);
  cudaEventDestroy(start);
  cudaEventDestroy(stop);

  int count = 0, value = 0;
  cudaDeviceProp properties;
  EXPECT(cudaGetDeviceCount(&count) == cudaSuccess && count == 1);
  EXPECT(cudaGetDeviceProperties(&properties, 0) == cudaSuccess && properties.warpSize == 32);
  EXPECT(properties.multiProcessorCount >= 1 && properties.sharedMemPerBlock == 49152);
  EXPECT(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0) == cudaSuccess && value == 1024);
  EXPECT(cudaSetDevice(1) == cudaErrorInvalidDevice && cudaGetLastError() == cudaErrorInvalidDevice);
  int blocks = 0, threads = 0;
  EXPECT(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, stencil_kernel, 0, 0) == cudaSuccess && threads == 1024);
  EXPECT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, stencil_kernel, 256, 0) == cudaSuccess && blocks == 8);
  EXPECT(cudaGetErrorString(cudaErrorInvalidConfiguration)[0] == 'i');
  return 0;
}
