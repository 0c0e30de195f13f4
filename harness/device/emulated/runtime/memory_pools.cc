#include <cstdint>
#include <map>

#include "device/emulated/runtime/memory.h"
#include "kgrade_emulated/api_memory.h"

using kgrade_emulated::PoolUsage;
using kgrade_emulated::set_last_error;

struct CUmemPoolHandle_st {
  // The counts are shared, because allocations may outlive the pool.
  std::shared_ptr<PoolUsage> usage = std::make_shared<PoolUsage>();
  std::map<cudaMemPoolAttr, int> reuse = {{cudaMemPoolReuseFollowEventDependencies, 1},
                                          {cudaMemPoolReuseAllowOpportunistic, 1},
                                          {cudaMemPoolReuseAllowInternalDependencies, 1}};
  std::uint64_t release_threshold = 0;
};

namespace {

cudaMemPool_t default_pool() {
  static CUmemPoolHandle_st pool;
  return &pool;
}

std::atomic<cudaMemPool_t>& current_pool() {
  static std::atomic<cudaMemPool_t> pool{default_pool()};
  return pool;
}

cudaError_t check_device(int device) {
  return set_last_error(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

// The value of an attribute that counts bytes.
std::uint64_t bytes_of(const CUmemPoolHandle_st& pool, cudaMemPoolAttr attribute) {
  switch (attribute) {
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent:
      return pool.usage->current;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
      return pool.usage->high;
    default:
      return pool.release_threshold;
  }
}

bool is_known(cudaMemPoolAttr attribute) {
  return attribute >= cudaMemPoolReuseFollowEventDependencies && attribute <= cudaMemPoolAttrUsedMemHigh;
}

}  // namespace

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  *pool = default_pool();
  return check_device(device);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  *pool = current_pool();
  return check_device(device);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  if (pool == nullptr) return set_last_error(cudaErrorInvalidValue);
  current_pool() = pool;
  return check_device(device);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  if (pool == nullptr || properties == nullptr || properties->allocType != cudaMemAllocationTypePinned) {
    return set_last_error(cudaErrorInvalidValue);
  }
  *pool = new CUmemPoolHandle_st;
  return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  if (pool == nullptr || pool == default_pool()) return set_last_error(cudaErrorInvalidValue);
  if (current_pool() == pool) current_pool() = default_pool();
  delete pool;
  return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
  return set_last_error(pool != nullptr ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  if (pool == nullptr || value == nullptr || !is_known(attribute)) {
    return set_last_error(cudaErrorInvalidValue);
  }
  if (pool->reuse.count(attribute) != 0) {
    pool->reuse[attribute] = *static_cast<const int*>(value);
  } else if (attribute == cudaMemPoolAttrReleaseThreshold) {
    pool->release_threshold = *static_cast<const std::uint64_t*>(value);
  } else {
    // The only counts that can be set are the high-water marks, and only back to the present usage.
    const bool is_high =
        attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh;
    if (!is_high || *static_cast<const std::uint64_t*>(value) != 0) {
      return set_last_error(cudaErrorInvalidValue);
    }
    pool->usage->high = pool->usage->current.load();
  }
  return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  if (pool == nullptr || value == nullptr || !is_known(attribute)) {
    return set_last_error(cudaErrorInvalidValue);
  }
  if (pool->reuse.count(attribute) != 0) {
    *static_cast<int*>(value) = pool->reuse[attribute];
  } else {
    *static_cast<std::uint64_t*>(value) = bytes_of(*pool, attribute);
  }
  return cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc*, std::size_t) {
  return set_last_error(pool != nullptr ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location) {
  if (pool == nullptr || flags == nullptr || location == nullptr)
    return set_last_error(cudaErrorInvalidValue);
  const bool here = location->type == cudaMemLocationTypeDevice && location->id == 0;
  *flags = here ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
  return cudaSuccess;
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool, cudaStream_t) {
  if (pool == nullptr) return set_last_error(cudaErrorInvalidValue);
  return kgrade_emulated::allocate_from_pool(pointer, bytes, pool->usage, __builtin_return_address(0));
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t) {
  return kgrade_emulated::allocate_from_pool(pointer, bytes, current_pool().load()->usage,
                                             __builtin_return_address(0));
}
