#include "device/emulated/runtime/memory.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "device/emulated/checker/checker.h"
#include "device/emulated/runtime/emulated_runtime.h"
#include "kgrade_emulated/api_device.h"

namespace kgrade_emulated {
namespace {

constexpr std::size_t checked_spacing = 64 * 1024;

constexpr std::size_t alignment = 256;  // guaranteed by cudaMalloc()

std::atomic<bool> memory_was_refused{false};

// One allocation.
struct Request {
  std::size_t bytes;
  cudaMemoryType type;
  unsigned int flags = 0;
  std::shared_ptr<PoolUsage> usage;
  const void* caller = nullptr;  // return address in the contestant's code
};

void free_block(void* memory) {
  if (const auto checker = active_checker()) checker->released(memory);
  free_spaced(memory);
}

class Allocations {
 public:
  cudaError_t allocate(void** pointer, const Request& request) {
    const std::size_t bytes = request.bytes;
    if (pointer == nullptr) return cudaErrorInvalidValue;
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    const std::lock_guard lock(mutex_);
    void* const memory = bytes <= device_memory_bytes() - used_ ? allocate_spaced(alignment, bytes) : nullptr;
    if (memory == nullptr) {
      memory_was_refused = true;
      return cudaErrorMemoryAllocation;
    }
    std::memset(memory, unwritten_byte, bytes);
    blocks_[memory] = request;
    if (request.usage != nullptr) request.usage->add(bytes);
    used_ += bytes;
    *pointer = memory;
    if (const auto checker = active_checker()) {
      checker->allocated(memory, request.bytes, spacing(), request.type != cudaMemoryTypeDevice,
                         request.caller);
    }
    return cudaSuccess;
  }

  // `of_host`: the caller is the function that frees host memory. Otherwise it is the function for device
  // memory.
  cudaError_t release(void* pointer, bool of_host) {
    if (pointer == nullptr) return cudaSuccess;
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(pointer);
    if (found == blocks_.end() || (found->second.type == cudaMemoryTypeHost) != of_host) {
      return cudaErrorInvalidValue;
    }
    used_ -= found->second.bytes;
    if (found->second.usage != nullptr) found->second.usage->current -= found->second.bytes;
    blocks_.erase(found);
    free_block(pointer);
    return cudaSuccess;
  }

  void release_all() {
    const std::lock_guard lock(mutex_);
    for (const auto& [pointer, block] : blocks_) free_block(pointer);
    blocks_.clear();
    used_ = 0;
  }

  // The allocation or registration that an address lies in.
  std::optional<Request> find(const void* pointer) {
    const std::lock_guard lock(mutex_);
    if (auto found = find_in(blocks_, pointer)) return found;
    return find_in(registered_, pointer);
  }

  // False when the range begins in an allocation and ends outside of it.
  bool holds(const void* pointer, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    auto after = blocks_.upper_bound(const_cast<void*>(pointer));
    if (after == blocks_.begin()) return true;
    const auto& [begin, block] = *--after;
    const auto offset = reinterpret_cast<std::uintptr_t>(pointer) - reinterpret_cast<std::uintptr_t>(begin);
    return offset >= block.bytes || bytes <= block.bytes - offset;
  }

  cudaError_t register_host(void* pointer, const Request& request) {
    if (pointer == nullptr || request.bytes == 0) return cudaErrorInvalidValue;
    if (find(pointer)) return cudaErrorHostMemoryAlreadyRegistered;
    const std::lock_guard lock(mutex_);
    registered_[pointer] = request;
    return cudaSuccess;
  }

  cudaError_t unregister_host(void* pointer) {
    const std::lock_guard lock(mutex_);
    return registered_.erase(pointer) == 1 ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
  }

  std::size_t used() {
    const std::lock_guard lock(mutex_);
    return used_;
  }

 private:
  using Blocks = std::map<void*, Request>;

  static std::optional<Request> find_in(const Blocks& blocks, const void* pointer) {
    auto after = blocks.upper_bound(const_cast<void*>(pointer));
    if (after == blocks.begin()) return std::nullopt;
    const auto& [begin, block] = *--after;
    const auto offset = reinterpret_cast<std::uintptr_t>(pointer) - reinterpret_cast<std::uintptr_t>(begin);
    return offset < block.bytes ? std::optional(block) : std::nullopt;
  }

  std::mutex mutex_;
  Blocks blocks_;
  Blocks registered_;  // host memory that the program registered
  std::size_t used_ = 0;
};

// This object is never destroyed, because contestants free memory while the process ends.
Allocations& allocations() {
  static Allocations* const all = new Allocations;
  return *all;
}

cudaError_t allocate(void** pointer, const Request& request) {
  return set_last_error(allocations().allocate(pointer, request));
}

constexpr std::size_t row_alignment = 512;

std::size_t pitch_of(std::size_t width_bytes) {
  return (width_bytes + row_alignment - 1) / row_alignment * row_alignment;
}

}  // namespace

std::size_t spacing() { return is_checking() ? checked_spacing : 0; }

void* allocate_spaced(std::size_t alignment, std::size_t bytes) {
  const std::size_t room = spacing();
  void* memory = nullptr;
  if (::posix_memalign(&memory, alignment, std::max<std::size_t>(bytes, 1) + 2 * room) != 0) return nullptr;
  return static_cast<char*>(memory) + room;
}

void free_spaced(void* memory) {
  if (memory != nullptr) std::free(static_cast<char*>(memory) - spacing());
}

bool device_memory_was_refused() { return memory_was_refused; }

// Also true for memory that was not allocated here. It is the harness's, and its bounds are checked in
// another way.
bool lies_within_its_allocation(const void* pointer, std::size_t bytes) {
  return allocations().holds(pointer, bytes);
}

cudaError_t allocate_from_pool(void** pointer, std::size_t bytes, std::shared_ptr<PoolUsage> usage,
                               const void* caller) {
  return allocate(pointer, {bytes, cudaMemoryTypeDevice, 0, std::move(usage), caller});
}

}  // namespace kgrade_emulated

using kgrade_emulated::allocate;
using kgrade_emulated::allocations;
using kgrade_emulated::set_last_error;

#define KGRADE_CALLER __builtin_return_address(0)

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return allocate(pointer, {bytes, cudaMemoryTypeDevice, 0, nullptr, KGRADE_CALLER});
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned int flags) {
  if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) {
    return set_last_error(cudaErrorInvalidValue);
  }
  return allocate(pointer, {bytes, cudaMemoryTypeManaged, flags, nullptr, KGRADE_CALLER});
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return allocate(pointer, {bytes, cudaMemoryTypeHost, cudaHostAllocDefault, nullptr, KGRADE_CALLER});
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned int flags) {
  constexpr unsigned int known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
  if ((flags & ~known) != 0) return set_last_error(cudaErrorInvalidValue);
  return allocate(pointer, {bytes, cudaMemoryTypeHost, flags, nullptr, KGRADE_CALLER});
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width_bytes, std::size_t height) {
  if (pitch == nullptr) return set_last_error(cudaErrorInvalidValue);
  *pitch = kgrade_emulated::pitch_of(width_bytes);
  return allocate(pointer, {*pitch * height, cudaMemoryTypeDevice, 0, nullptr, KGRADE_CALLER});
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  if (pointer == nullptr) return set_last_error(cudaErrorInvalidValue);
  *pointer = {nullptr, kgrade_emulated::pitch_of(extent.width), extent.width, extent.height};
  const std::size_t bytes = pointer->pitch * extent.height * extent.depth;
  return allocate(&pointer->ptr, {bytes, cudaMemoryTypeDevice, 0, nullptr, KGRADE_CALLER});
}

// Like CUDA's function, this waits for the device.
cudaError_t cudaFree(void* pointer) {
  cudaDeviceSynchronize();
  return set_last_error(allocations().release(pointer, false));
}
cudaError_t cudaFreeHost(void* pointer) { return set_last_error(allocations().release(pointer, true)); }
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) {
  return set_last_error(pointer != nullptr ? allocations().release(pointer, false) : cudaErrorInvalidValue);
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned int flags) {
  return set_last_error(
      allocations().register_host(pointer, {bytes, cudaMemoryTypeHost, flags, nullptr, nullptr}));
}

cudaError_t cudaHostUnregister(void* pointer) {
  return set_last_error(allocations().unregister_host(pointer));
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int flags) {
  if (device == nullptr || flags != 0 || !allocations().find(host)) {
    return set_last_error(cudaErrorInvalidValue);
  }
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned int* flags, void* host) {
  const auto found = allocations().find(host);
  if (flags == nullptr || !found || found->type != cudaMemoryTypeHost) {
    return set_last_error(cudaErrorInvalidValue);
  }
  *flags = found->flags | cudaHostAllocMapped;
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  *total_bytes = kgrade_emulated::device_memory_bytes();
  *free_bytes = *total_bytes - allocations().used();
  return cudaSuccess;
}

// Memory that was not allocated here counts as device memory, because the harness lent it to the call.
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  if (attributes == nullptr) return set_last_error(cudaErrorInvalidValue);
  const auto found = allocations().find(pointer);
  const cudaMemoryType type = found ? found->type : cudaMemoryTypeDevice;
  void* const same = const_cast<void*>(pointer);
  *attributes = {type, 0, same, type == cudaMemoryTypeDevice ? nullptr : same};
  return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void* memory, std::size_t, cudaMemLocation, unsigned int,
                                 cudaStream_t) {
  return set_last_error(memory != nullptr ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPrefetchAsync(const void* memory, std::size_t bytes, int device, cudaStream_t stream) {
  return cudaMemPrefetchAsync(memory, bytes, cudaMemLocation{cudaMemLocationTypeDevice, device}, 0, stream);
}

cudaError_t cudaMemAdvise(const void* memory, std::size_t, cudaMemoryAdvise advice, cudaMemLocation) {
  const bool known = advice >= cudaMemAdviseSetReadMostly && advice <= cudaMemAdviseUnsetAccessedBy;
  return set_last_error(memory != nullptr && known ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemAdvise(const void* memory, std::size_t bytes, cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(memory, bytes, advice, cudaMemLocation{cudaMemLocationTypeDevice, device});
}

cudaError_t cudaDeviceReset() {
  cudaDeviceSynchronize();
  allocations().release_all();
  return cudaSuccess;
}
