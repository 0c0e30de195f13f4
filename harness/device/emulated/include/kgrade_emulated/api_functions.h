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
  int clusterDimMustBeSet;
  int requiredClusterWidth;
  int requiredClusterHeight;
  int requiredClusterDepth;
  int clusterSchedulingPolicyPreference;
  int nonPortableClusterSizeAllowed;
};

enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault = 0,
  cudaSharedMemBankSizeFourByte = 1,
  cudaSharedMemBankSizeEightByte = 2
};

#define cudaOccupancyDefault 0x00
#define cudaOccupancyDisableCachingOverride 0x01

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function);

namespace kgrade_emulated {

// The number of blocks that fit a multiprocessor, by their threads and their dynamic shared memory.
cudaError_t blocks_per_multiprocessor(int* blocks, int threads, std::size_t dynamic_shared_bytes);

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
cudaError_t cudaFuncSetSharedMemConfig(Kernel, cudaSharedMemConfig) {
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
inline cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* configuration) {
  *configuration = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}

template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel, int threads,
                                                          std::size_t dynamic_shared_bytes) {
  return kgrade_emulated::blocks_per_multiprocessor(blocks, threads, dynamic_shared_bytes);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Kernel, int threads,
                                                                   std::size_t dynamic_shared_bytes,
                                                                   unsigned int) {
  return kgrade_emulated::blocks_per_multiprocessor(blocks, threads, dynamic_shared_bytes);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function, int blocks,
                                                      int threads);
template <class... P>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, void (*kernel)(P...), int blocks,
                                                      int threads) {
  return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, kgrade_emulated::address_of(kernel), blocks,
                                                   threads);
}

// The largest of the block sizes with the most threads on a multiprocessor. `bytes_of` returns the dynamic
// shared memory that a block of a given size needs.
template <class BytesOf, class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, Kernel, BytesOf bytes_of,
                                                           int block_limit = 0) {
  int multiprocessors = 0, most_threads = 0;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  *grid = *block = 0;
  for (int size = block_limit > 0 && block_limit < 1024 ? block_limit : 1024; size > 0;
       size = (size - 1) / 32 * 32) {
    int blocks = 0;
    kgrade_emulated::blocks_per_multiprocessor(&blocks, size, bytes_of(size));
    if (blocks * size <= most_threads) continue;
    most_threads = blocks * size;
    *block = size;
    *grid = blocks * multiprocessors;
  }
  return cudaSuccess;
}
template <class BytesOf, class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* grid, int* block, Kernel kernel,
                                                                    BytesOf bytes_of, int block_limit = 0,
                                                                    unsigned int = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, bytes_of, block_limit);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, Kernel kernel,
                                               std::size_t dynamic_shared_bytes = 0, int block_limit = 0) {
  const auto bytes_of = [=](int) { return dynamic_shared_bytes; };
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, bytes_of, block_limit);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, Kernel kernel,
                                                        std::size_t dynamic_shared_bytes = 0,
                                                        int block_limit = 0, unsigned int = 0) {
  return cudaOccupancyMaxPotentialBlockSize(grid, block, kernel, dynamic_shared_bytes, block_limit);
}

template <class... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments,
                             std::size_t dynamic_shared_bytes = 0, cudaStream_t stream = nullptr) {
  const kgrade_emulated::Configuration configuration(grid, block, dynamic_shared_bytes, stream);
  kgrade_emulated::launch_unpacked(configuration, kernel, arguments, std::index_sequence_for<P...>());
  return cudaPeekAtLastError();
}

// Extended launches. On a GPU, attributes change when a grid begins and how blocks are placed. Here a grid
// begins when it is launched and runs alone. Clusters of blocks are refused by name
// (device/emulated/rewriter/unsupported.cc).
enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore = 0,
  cudaLaunchAttributeAccessPolicyWindow = 1,
  cudaLaunchAttributeSynchronizationPolicy = 3,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6,
  cudaLaunchAttributePriority = 8,
  cudaLaunchAttributePreferredSharedMemoryCarveout = 14,
};
union cudaLaunchAttributeValue {
  char pad[64];
  int programmaticStreamSerializationAllowed;
  int priority;
  unsigned int sharedMemCarveout;
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim;
  dim3 blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned int numAttrs;
};

template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(P...), A&&... arguments) {
  static_assert(sizeof...(P) == sizeof...(A), "cudaLaunchKernelEx() takes each of the kernel's arguments");
  const kgrade_emulated::Configuration configuration(config->gridDim, config->blockDim,
                                                     config->dynamicSmemBytes, config->stream);
  const auto call = [kernel](auto&... parameters) { kernel(parameters...); };
  kgrade_emulated::launch<KGRADE_EMULATED_BLOCK_MODE, decltype(call), P...>(
      configuration, "cudaLaunchKernelEx", kgrade_emulated::address_of(kernel), call,
      kgrade_emulated::converted<P>(std::forward<A>(arguments))...);
  return cudaPeekAtLastError();
}

// The previous grid has ended when this one begins.
inline void cudaGridDependencySynchronize() {}
inline void cudaTriggerProgrammaticLaunchCompletion() {}

// An untyped pointer does not say how many parameters the kernel has, so a call of this overload is a compile
// error.
[[gnu::error("not on the emulated device: cudaLaunchKernel() with an untyped kernel pointer")]] cudaError_t
cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                 std::size_t dynamic_shared_bytes = 0, cudaStream_t stream = nullptr);
