// Attributes of kernels: cudaFuncSetAttribute() and its relatives.

#include <algorithm>
#include <map>
#include <mutex>

#include "device/emulated/runtime/limits.h"
#include "kgrade_emulated/launch.h"

#define KGRADE_EMULATED_BLOCK_MODE kgrade_emulated::BlockMode::independent
#include "kgrade_emulated/api_functions.h"

namespace kgrade_emulated {
namespace {

struct Settings {
  std::size_t dynamic_shared_bytes = limits::shared_bytes_per_block;
  int carveout = cudaSharedmemCarveoutDefault;
};

struct AllSettings {
  std::mutex mutex;
  std::map<const void*, Settings> of;
};

AllSettings& all_settings() {
  static AllSettings all;
  return all;
}

Settings settings_of(const void* function) {
  const std::lock_guard lock(all_settings().mutex);
  const auto found = all_settings().of.find(function);
  return found != all_settings().of.end() ? found->second : Settings{};
}

}  // namespace

std::size_t most_dynamic_shared_bytes(const void* function) {
  if (function == nullptr) return limits::shared_bytes_per_block_opt_in;
  return std::max(settings_of(function).dynamic_shared_bytes, limits::shared_bytes_per_block);
}

std::size_t most_shared_bytes(const void* function) {
  const bool has_opted_in = most_dynamic_shared_bytes(function) > limits::shared_bytes_per_block;
  return has_opted_in ? limits::shared_bytes_per_block_opt_in : limits::shared_bytes_per_block;
}

cudaError_t blocks_per_multiprocessor(int* blocks, int threads, std::size_t dynamic_shared_bytes) {
  if (blocks == nullptr || threads <= 0) return set_last_error(cudaErrorInvalidValue);
  const int warps = (threads + 31) / 32;
  const int by_threads = threads > static_cast<int>(limits::threads_per_block)
                             ? 0
                             : limits::threads_per_multiprocessor / (warps * 32);
  // The system needs some shared memory in each block.
  constexpr std::size_t reserved = 1024;
  const std::size_t by_memory =
      dynamic_shared_bytes > limits::shared_bytes_per_block_opt_in
          ? 0
          : limits::shared_bytes_per_multiprocessor / (dynamic_shared_bytes + reserved);
  *blocks = std::min({by_threads, static_cast<int>(by_memory), limits::blocks_per_multiprocessor});
  return cudaSuccess;
}

}  // namespace kgrade_emulated

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  using namespace kgrade_emulated;
  if (function == nullptr) return set_last_error(cudaErrorInvalidDeviceFunction);
  const std::lock_guard lock(all_settings().mutex);
  Settings& settings = all_settings().of[function];
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize && value >= 0 &&
      static_cast<std::size_t>(value) <= limits::shared_bytes_per_block_opt_in) {
    settings.dynamic_shared_bytes = static_cast<std::size_t>(value);
  } else if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout &&
             value >= cudaSharedmemCarveoutDefault && value <= cudaSharedmemCarveoutMaxShared) {
    settings.carveout = value;
  } else {
    return set_last_error(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  using namespace kgrade_emulated;
  if (attributes == nullptr) return set_last_error(cudaErrorInvalidValue);
  if (function == nullptr) return set_last_error(cudaErrorInvalidDeviceFunction);
  const Settings settings = settings_of(function);
  *attributes = {};
  attributes->maxThreadsPerBlock = static_cast<int>(limits::threads_per_block);
  attributes->numRegs = 32;
  attributes->ptxVersion = 90;
  attributes->binaryVersion = 90;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(settings.dynamic_shared_bytes);
  attributes->preferredShmemCarveout = settings.carveout;
  return cudaSuccess;
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function, int blocks,
                                                      int threads) {
  using namespace kgrade_emulated;
  if (bytes == nullptr || blocks <= 0 || threads <= 0) return set_last_error(cudaErrorInvalidValue);
  constexpr std::size_t reserved = 1024;
  const std::size_t share = limits::shared_bytes_per_multiprocessor / static_cast<std::size_t>(blocks);
  *bytes = std::min(share > reserved ? share - reserved : 0, most_dynamic_shared_bytes(function));
  return cudaSuccess;
}
