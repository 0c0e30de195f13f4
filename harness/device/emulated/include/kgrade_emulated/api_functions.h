// Attributes of kernels, occupancy, and cudaLaunchKernel().
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include "kgrade_emulated/api_device.h"
#include "kgrade_emulated/launch.h"

enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9
};

enum cudaSharedCarveout {
  cudaSharedmemCarveoutDefault = -1,
  cudaSharedmemCarveoutMaxL1 = 0,
  cudaSharedmemCarveoutMaxShared = 100
};

struct cudaFuncAttributes {
  std::size_t sharedSizeBytes;
  std::size_t constSizeBytes;
  std::size_t localSizeBytes;
  int maxThreadsPerBlock;
  int numRegs;
  int ptxVersion;
  int binaryVersion;
  int cacheModeCA;
  int maxDynamicSharedSizeBytes;
  int preferredShmemCarveout;
};

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function);

namespace kgrade_emulated {

// Blocks that fit a multiprocessor by their threads and their dynamic shared memory.
int blocks_per_multiprocessor(int threads, std::size_t dynamic_shared_bytes);

template <class Kernel>
const void* address_of(Kernel* kernel) {
  return reinterpret_cast<const void*>(kernel);
}

template <class... P, std::size_t... Index>
void launch_unpacked(const Configuration& configuration, void (*kernel)(P...), void** arguments,
                     std::index_sequence<Index...>) {
  const auto call = [kernel](auto&... parameters) { kernel(parameters...); };
  launch<KGRADE_EMULATED_BLOCK_MODE, decltype(call), P...>(
      configuration, "cudaLaunchKernel", address_of(kernel), call, *static_cast<P*>(arguments[Index])...);
}

}  // namespace kgrade_emulated

template <class... P>
cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(kgrade_emulated::address_of(kernel), attribute, value);
}
template <class... P>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void (*kernel)(P...)) {
  return cudaFuncGetAttributes(attributes, kgrade_emulated::address_of(kernel));
}
template <class Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel, cudaFuncCache) {
  return cudaSuccess;
}

template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel, int threads,
                                                          std::size_t dynamic_shared_bytes) {
  *blocks = kgrade_emulated::blocks_per_multiprocessor(threads, dynamic_shared_bytes);
  return cudaSuccess;
}

template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, Kernel,
                                               std::size_t dynamic_shared_bytes = 0, int block_limit = 0) {
  int multiprocessors = 0;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  *block = block_limit > 0 && block_limit < 1024 ? block_limit : 1024;
  *grid = multiprocessors * kgrade_emulated::blocks_per_multiprocessor(*block, dynamic_shared_bytes);
  return cudaSuccess;
}

template <class... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments,
                             std::size_t dynamic_shared_bytes = 0, cudaStream_t stream = nullptr) {
  const kgrade_emulated::Configuration configuration(grid, block, dynamic_shared_bytes, stream);
  kgrade_emulated::launch_unpacked(configuration, kernel, arguments, std::index_sequence_for<P...>());
  return cudaPeekAtLastError();
}
