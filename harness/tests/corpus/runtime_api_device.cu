// Properties, attributes, limits, occupancy, error texts: what holds on every device.
#include <cuda_profiler_api.h>

#include "device_map.h"

namespace {

__global__ void shared_user(float* out) {
  extern __shared__ float memory[];
  memory[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = memory[blockDim.x - 1 - threadIdx.x];
}

template <class T>
__global__ void add_scaled(const T* x, T* y, T scale, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += scale * x[i];
}

int attribute(cudaDeviceAttr which) {
  int value = -1;
  cudaDeviceGetAttribute(&value, which, 0);
  return value;
}

}  // namespace

CORPUS_CASE(knows_its_properties) {
  int count = 0, device = -1, runtime = 0, driver = 0;
  cudaGetDeviceCount(&count);
  cudaGetDevice(&device);
  report.expect("there is a device", count >= 1 && device >= 0 && device < count);
  cudaDeviceProp properties;
  report.expect_success("properties", cudaGetDeviceProperties(&properties, 0));
  report.expect_equal("warp", properties.warpSize, 32);
  report.expect_equal("threads", properties.maxThreadsPerBlock, attribute(cudaDevAttrMaxThreadsPerBlock));
  report.expect_equal("shared", int(properties.sharedMemPerBlock),
                      attribute(cudaDevAttrMaxSharedMemoryPerBlock));
  report.expect_equal("opt-in", int(properties.sharedMemPerBlockOptin),
                      attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  report.expect_equal("processors", properties.multiProcessorCount,
                      attribute(cudaDevAttrMultiProcessorCount));
  report.expect_equal("major", properties.major, attribute(cudaDevAttrComputeCapabilityMajor));
  report.expect("enough of all", properties.major >= 7 && properties.totalGlobalMem > 0 &&
                                     properties.l2CacheSize > 0 &&
                                     properties.sharedMemPerBlockOptin >= properties.sharedMemPerBlock);
  report.expect_equal("no device 99", int(cudaSetDevice(99)), int(cudaErrorInvalidDevice));
  report.expect_equal("no attribute 9999",
                      int(cudaDeviceGetAttribute(&count, static_cast<cudaDeviceAttr>(9999), 0)),
                      int(cudaErrorInvalidValue));
  cudaGetLastError();
  report.expect_success("versions", cudaRuntimeGetVersion(&runtime));
  report.expect_success("versions", cudaDriverGetVersion(&driver));
  report.expect("driver is new enough", runtime >= 12000 && driver >= 12000);
}

CORPUS_CASE(keeps_limits_and_attributes_of_kernels) {
  std::size_t heap = 0;
  report.expect_success("set", cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  report.expect_success("get", cudaDeviceGetLimit(&heap, cudaLimitStackSize));
  report.expect("is at least that", heap >= 4096);
  report.expect_success("cache", cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  report.expect_success("cache of a kernel", cudaFuncSetCacheConfig(shared_user, cudaFuncCachePreferShared));
  const int bytes = 64 * 1024;
  report.expect_success(
      "opt in", cudaFuncSetAttribute(shared_user, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  cudaFuncAttributes attributes;
  report.expect_success("attributes", cudaFuncGetAttributes(&attributes, shared_user));
  report.expect_equal("dynamic bytes", attributes.maxDynamicSharedSizeBytes, bytes);
  report.expect("threads", attributes.maxThreadsPerBlock >= 32 && attributes.maxThreadsPerBlock <= 1024);
  const corpus::DeviceArray<float> out(256);
  shared_user<<<1, 256, bytes>>>(out.data());
  report.expect_equal("result", out.download(),
                      corpus::on_host<float>(256, [](int i) { return 255.0f - i; }));
  report.expect("too much", cudaFuncSetAttribute(shared_user, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                 1 << 20) == cudaErrorInvalidValue);
  cudaGetLastError();
}

CORPUS_CASE(counts_blocks_that_fit) {
  int blocks = 0, fewer = 0, grid = 0, block = 0;
  report.expect_success("active",
                        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shared_user, 128, 0));
  report.expect_success("active",
                        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fewer, shared_user, 128, 40000));
  report.expect("bounds", blocks >= 1 && blocks <= 32 &&
                              blocks * 128 <= attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
  report.expect("shared memory costs blocks", fewer >= 1 && fewer < blocks);
  report.expect_equal("no threads",
                      int(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shared_user, 0, 0)),
                      int(cudaErrorInvalidValue));
  cudaGetLastError();
  report.expect_success("potential",
                        cudaOccupancyMaxPotentialBlockSize(&grid, &block, add_scaled<float>, 0, 0));
  report.expect("whole warps", block >= 32 && block <= 1024 && block % 32 == 0 &&
                                   grid >= attribute(cudaDevAttrMultiProcessorCount));
  report.expect_success("limited",
                        cudaOccupancyMaxPotentialBlockSize(&grid, &block, add_scaled<float>, 0, 256));
  report.expect("by the limit", block <= 256);
  const auto bytes_of = [](int threads) -> std::size_t { return threads * 40; };
  report.expect_success("variable",
                        cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, shared_user, bytes_of));
  report.expect("fits", block >= 32 && bytes_of(block) <= static_cast<std::size_t>(attribute(
                                                              cudaDevAttrMaxSharedMemoryPerBlockOptin)));
}

CORPUS_CASE(launches_through_the_function) {
  const int n = 200;
  const auto x = corpus::numbers(n, 3), y = corpus::numbers(n, 4);
  const corpus::DeviceArray<float> dx(x), dy(y);
  const float* px = dx.data();
  float* py = dy.data();
  float scale = 1.5f;
  int count = n;
  void* arguments[] = {&px, &py, &scale, &count};
  report.expect_success("launch",
                        cudaLaunchKernel(add_scaled<float>, dim3(2), dim3(128), arguments, 0, nullptr));
  report.expect_equal("sums", dy.download(),
                      corpus::on_host<float>(n, [&](int i) { return y[i] + 1.5f * x[i]; }));
  report.expect_success("profiler", cudaProfilerStart());
  report.expect_success("profiler", cudaProfilerStop());
}

CORPUS_CASE(names_errors) {
  report.expect_equal("name", std::string(cudaGetErrorName(cudaErrorMemoryAllocation)),
                      std::string("cudaErrorMemoryAllocation"));
  report.expect_equal("text", std::string(cudaGetErrorString(cudaErrorMemoryAllocation)),
                      std::string("out of memory"));
  report.expect_equal("last", std::string(cudaGetErrorString(cudaErrorUnknown)),
                      std::string("unknown error"));
  report.expect_equal("none", std::string(cudaGetErrorName(static_cast<cudaError_t>(998))),
                      std::string("unrecognized error code"));
  shared_user<<<1, 2000>>>(nullptr);
  report.expect("a launch that cannot be", cudaPeekAtLastError() != cudaSuccess);
  report.expect("stays the last error", cudaGetLastError() != cudaSuccess);
  report.expect_equal("until it is read", int(cudaGetLastError()), int(cudaSuccess));
}
