// Device memory: the host's, with an account of what is allocated.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "kgrade_emulated/api_device.h"
#include "kgrade_emulated/api_memory.h"

namespace kgrade_emulated {
namespace {

constexpr std::size_t alignment = 256;  // what cudaMalloc() promises
constexpr int unwritten = 0xff;

std::size_t physical_bytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

class Allocations {
 public:
  cudaError_t allocate(void** pointer, std::size_t bytes, cudaMemoryType type) {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    const std::lock_guard lock(mutex_);
    void* memory = nullptr;
    if (bytes > physical_bytes() - std::min(used_, physical_bytes()) ||
        ::posix_memalign(&memory, alignment, bytes) != 0) {
      return cudaErrorMemoryAllocation;
    }
    std::memset(memory, unwritten, bytes);
    blocks_[memory] = {bytes, type};
    used_ += bytes;
    *pointer = memory;
    return cudaSuccess;
  }

  cudaError_t release(void* pointer) {
    if (pointer == nullptr) return cudaSuccess;
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(pointer);
    if (found == blocks_.end()) return cudaErrorInvalidValue;
    used_ -= found->second.bytes;
    blocks_.erase(found);
    std::free(pointer);
    return cudaSuccess;
  }

  void release_all() {
    const std::lock_guard lock(mutex_);
    for (const auto& [pointer, block] : blocks_) std::free(pointer);
    blocks_.clear();
    used_ = 0;
  }

  // Memory that nobody allocated here is the harness's, lent to the call: device memory.
  cudaMemoryType type_of(const void* pointer) {
    const std::lock_guard lock(mutex_);
    auto after = blocks_.upper_bound(const_cast<void*>(pointer));
    if (after == blocks_.begin()) return cudaMemoryTypeDevice;
    const auto& [begin, block] = *--after;
    const auto offset = reinterpret_cast<std::uintptr_t>(pointer) - reinterpret_cast<std::uintptr_t>(begin);
    return offset < block.bytes ? block.type : cudaMemoryTypeDevice;
  }

  std::size_t used() {
    const std::lock_guard lock(mutex_);
    return used_;
  }

 private:
  struct Block {
    std::size_t bytes;
    cudaMemoryType type;
  };
  std::mutex mutex_;
  std::map<void*, Block> blocks_;
  std::size_t used_ = 0;
};

// Never destroyed: contestants free memory while the process ends.
Allocations& allocations() {
  static Allocations* const all = new Allocations;
  return *all;
}

cudaError_t allocate(void** pointer, std::size_t bytes, cudaMemoryType type) {
  return set_last_error(allocations().allocate(pointer, bytes, type));
}

}  // namespace
}  // namespace kgrade_emulated

using kgrade_emulated::allocate;
using kgrade_emulated::allocations;
using kgrade_emulated::set_last_error;

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return allocate(pointer, bytes, cudaMemoryTypeDevice);
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned int) {
  return allocate(pointer, bytes, cudaMemoryTypeManaged);
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return allocate(pointer, bytes, cudaMemoryTypeHost);
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned int) {
  return allocate(pointer, bytes, cudaMemoryTypeHost);
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t) {
  return allocate(pointer, bytes, cudaMemoryTypeDevice);
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width_bytes, std::size_t height) {
  constexpr std::size_t row_alignment = 512;
  *pitch = (width_bytes + row_alignment - 1) / row_alignment * row_alignment;
  return allocate(pointer, *pitch * height, cudaMemoryTypeDevice);
}

cudaError_t cudaFree(void* pointer) { return set_last_error(allocations().release(pointer)); }
cudaError_t cudaFreeHost(void* pointer) { return set_last_error(allocations().release(pointer)); }
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) {
  return set_last_error(allocations().release(pointer));
}
cudaError_t cudaHostRegister(void*, std::size_t, unsigned int) { return cudaSuccess; }
cudaError_t cudaHostUnregister(void*) { return cudaSuccess; }

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int) {
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return set_last_error(cudaErrorInvalidMemcpyDirection);
  }
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr) return set_last_error(cudaErrorInvalidValue);
  std::memmove(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind) {
  if (width_bytes > to_pitch || width_bytes > from_pitch) return set_last_error(cudaErrorInvalidPitchValue);
  for (std::size_t row = 0; row < height; ++row) {
    const cudaError_t error =
        cudaMemcpy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch,
                   width_bytes, kind);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t) {
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width_bytes, height, kind);
}

cudaError_t cudaMemset(void* memory, int byte, std::size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  if (memory == nullptr) return set_last_error(cudaErrorInvalidValue);
  std::memset(memory, byte, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* memory, int byte, std::size_t bytes, cudaStream_t) {
  return cudaMemset(memory, byte, bytes);
}

cudaError_t cudaMemset2D(void* memory, std::size_t pitch, int byte, std::size_t width_bytes,
                         std::size_t height) {
  if (width_bytes > pitch) return set_last_error(cudaErrorInvalidPitchValue);
  for (std::size_t row = 0; row < height; ++row) {
    const cudaError_t error = cudaMemset(static_cast<char*>(memory) + row * pitch, byte, width_bytes);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  *total_bytes = kgrade_emulated::physical_bytes();
  *free_bytes = *total_bytes - std::min(allocations().used(), *total_bytes);
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  const cudaMemoryType type = allocations().type_of(pointer);
  void* const same = const_cast<void*>(pointer);
  *attributes = {type, 0, same, type == cudaMemoryTypeDevice ? nullptr : same};
  return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, int, cudaStream_t) { return cudaSuccess; }

cudaError_t cudaDeviceReset() {
  allocations().release_all();
  return cudaSuccess;
}
