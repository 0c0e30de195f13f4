#include <unistd.h>

#include <cstring>
#include <string_view>

#include "device/emulated/runtime/emulated_runtime.h"
#include "device/emulated/runtime/limits.h"
#include "kgrade_emulated/api_device.h"
#include "kgrade_emulated/api_memory.h"

using kgrade_emulated::set_last_error;

namespace {

constexpr int runtime_version = 13000;
constexpr int clock_khz = 1000000;  // of clock64()
constexpr int l2_bytes = 1 << 20;

void copy_name(char (&target)[256], std::string_view name) { std::memcpy(target, name.data(), name.size()); }

void set_sizes(cudaDeviceProp& properties) {
  namespace limits = kgrade_emulated::limits;
  properties.sharedMemPerBlock = limits::shared_bytes_per_block;
  properties.sharedMemPerBlockOptin = limits::shared_bytes_per_block_opt_in;
  properties.sharedMemPerMultiprocessor = limits::shared_bytes_per_multiprocessor;
  properties.regsPerBlock = limits::registers;
  properties.regsPerMultiprocessor = limits::registers;
  properties.maxThreadsPerBlock = static_cast<int>(limits::threads_per_block);
  properties.maxThreadsPerMultiProcessor = limits::threads_per_multiprocessor;
  properties.maxBlocksPerMultiProcessor = limits::blocks_per_multiprocessor;
  properties.totalConstMem = limits::constant_bytes;
  const unsigned int block[3] = {limits::block_x, limits::block_y, limits::block_z};
  const unsigned int grid[3] = {limits::grid_x, limits::grid_y, limits::grid_z};
  for (int axis = 0; axis < 3; ++axis) {
    properties.maxThreadsDim[axis] = static_cast<int>(block[axis]);
    properties.maxGridSize[axis] = static_cast<int>(grid[axis]);
  }
}

cudaDeviceProp device_properties() {
  cudaDeviceProp properties = {};
  copy_name(properties.name, "kgrade emulated device");
  std::size_t free_bytes = 0;
  cudaMemGetInfo(&free_bytes, &properties.totalGlobalMem);
  set_sizes(properties);
  properties.warpSize = 32;
  properties.memPitch = 2147483647;
  properties.clockRate = clock_khz;
  properties.memoryClockRate = clock_khz;
  properties.memoryBusWidth = 64;
  properties.major = 9;
  properties.textureAlignment = 512;
  properties.multiProcessorCount = static_cast<int>(kgrade_emulated::host_threads());
  properties.integrated = 1;
  properties.canMapHostMemory = 1;
  properties.concurrentKernels = 1;
  properties.unifiedAddressing = 1;
  properties.managedMemory = 1;
  properties.l2CacheSize = l2_bytes;
  return properties;
}

// The value of an attribute; -1 for one that is not known.
int attribute_value(const cudaDeviceProp& properties, cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return properties.maxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX:
      return properties.maxThreadsDim[0];
    case cudaDevAttrMaxBlockDimY:
      return properties.maxThreadsDim[1];
    case cudaDevAttrMaxBlockDimZ:
      return properties.maxThreadsDim[2];
    case cudaDevAttrMaxGridDimX:
      return properties.maxGridSize[0];
    case cudaDevAttrMaxGridDimY:
      return properties.maxGridSize[1];
    case cudaDevAttrMaxGridDimZ:
      return properties.maxGridSize[2];
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return static_cast<int>(properties.sharedMemPerBlock);
    case cudaDevAttrTotalConstantMemory:
      return static_cast<int>(properties.totalConstMem);
    case cudaDevAttrWarpSize:
      return properties.warpSize;
    case cudaDevAttrMaxRegistersPerBlock:
      return properties.regsPerBlock;
    case cudaDevAttrClockRate:
      return properties.clockRate;
    case cudaDevAttrMultiProcessorCount:
      return properties.multiProcessorCount;
    case cudaDevAttrIntegrated:
      return properties.integrated;
    case cudaDevAttrCanMapHostMemory:
      return properties.canMapHostMemory;
    case cudaDevAttrConcurrentKernels:
      return properties.concurrentKernels;
    case cudaDevAttrMemoryClockRate:
      return properties.memoryClockRate;
    case cudaDevAttrGlobalMemoryBusWidth:
      return properties.memoryBusWidth;
    case cudaDevAttrL2CacheSize:
      return properties.l2CacheSize;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return properties.maxThreadsPerMultiProcessor;
    case cudaDevAttrUnifiedAddressing:
      return properties.unifiedAddressing;
    case cudaDevAttrComputeCapabilityMajor:
      return properties.major;
    case cudaDevAttrComputeCapabilityMinor:
      return properties.minor;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(properties.sharedMemPerMultiprocessor);
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return properties.regsPerMultiprocessor;
    case cudaDevAttrManagedMemory:
      return properties.managedMemory;
    case cudaDevAttrCooperativeLaunch:
      return properties.cooperativeLaunch;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(properties.sharedMemPerBlockOptin);
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return properties.maxBlocksPerMultiProcessor;
    case cudaDevAttrMemoryPoolsSupported:
      return 1;
  }
  return -1;
}

cudaError_t check_device(int device) {
  return set_last_error(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) { return check_device(device); }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
  *properties = device_properties();
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
  const int found = attribute_value(device_properties(), attribute);
  if (found < 0) return set_last_error(cudaErrorInvalidValue);
  *value = found;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaSetDeviceFlags(unsigned int) { return cudaSuccess; }
cudaError_t cudaDeviceSetLimit(cudaLimit, std::size_t) { return cudaSuccess; }

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  constexpr std::size_t stack_bytes = 256 * 1024;
  *value = limit == cudaLimitStackSize ? stack_bytes : 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = 0;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = runtime_version;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = runtime_version;
  return cudaSuccess;
}
