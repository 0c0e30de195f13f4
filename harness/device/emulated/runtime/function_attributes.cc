#include "device/emulated/runtime/function_attributes.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "device/emulated/runtime/limits.h"
#include "kgrade_emulated/launch.h"

#define KGRADE_EMULATED_BLOCK_MODE kgrade_emulated::BlockMode::independent
#include "kgrade_emulated/api_functions.h"

namespace kgrade_emulated {
namespace {

struct OptIns {
  std::mutex mutex;
  std::map<const void*, std::size_t> bytes;
};

OptIns& opt_ins() {
  static OptIns all;
  return all;
}

}  // namespace

std::size_t most_dynamic_shared_bytes(const void* function) {
  if (function == nullptr) return limits::shared_bytes_per_block_opt_in;
  const std::lock_guard lock(opt_ins().mutex);
  const auto found = opt_ins().bytes.find(function);
  return found != opt_ins().bytes.end() ? std::max(found->second, limits::shared_bytes_per_block)
                                        : limits::shared_bytes_per_block;
}

int blocks_per_multiprocessor(int threads, std::size_t dynamic_shared_bytes) {
  const int by_threads = limits::threads_per_multiprocessor / std::max(threads, 1);
  const std::size_t by_memory = dynamic_shared_bytes > 0
                                    ? limits::shared_bytes_per_multiprocessor / dynamic_shared_bytes
                                    : static_cast<std::size_t>(limits::blocks_per_multiprocessor);
  return std::min({by_threads, static_cast<int>(by_memory), limits::blocks_per_multiprocessor});
}

}  // namespace kgrade_emulated

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  using namespace kgrade_emulated;
  if (function == nullptr) return set_last_error(cudaErrorInvalidDeviceFunction);
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0 || static_cast<std::size_t>(value) > limits::shared_bytes_per_block_opt_in) {
    return set_last_error(cudaErrorInvalidValue);
  }
  const std::lock_guard lock(opt_ins().mutex);
  opt_ins().bytes[function] = static_cast<std::size_t>(value);
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  *attributes = {};
  attributes->maxThreadsPerBlock = static_cast<int>(kgrade_emulated::limits::threads_per_block);
  attributes->numRegs = 32;
  attributes->ptxVersion = 90;
  attributes->binaryVersion = 90;
  attributes->maxDynamicSharedSizeBytes =
      static_cast<int>(kgrade_emulated::most_dynamic_shared_bytes(function));
  return cudaSuccess;
}
