// Memory that kernels see: heap blocks, with room around them while a run is checked, and what is allocated
// of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "kgrade_emulated/api_memory.h"

namespace kgrade_emulated {

// Around a block on either side while a run is checked: what is touched there belongs to no other block. 0
// when nothing is checked.
std::size_t spacing();

// Null when there is no memory. `alignment` is a power of two, at most 4096.
void* allocate_spaced(std::size_t alignment, std::size_t bytes);
void free_spaced(void* memory);  // null is fine

// What fresh device and shared memory is filled with: floats of it are NaN.
constexpr int unwritten_byte = 0xff;

// What a memory pool has given out.
struct PoolUsage {
  std::atomic<std::size_t> current{0};
  std::atomic<std::size_t> high{0};

  void add(std::size_t bytes) {
    const std::size_t now = current += bytes;
    std::size_t highest = high;
    while (highest < now && !high.compare_exchange_weak(highest, now)) {
    }
  }
};

// Device memory that counts as the pool's until it is freed; the result is the last error if it fails.
// `caller` is where the contestant goes on.
cudaError_t allocate_from_pool(void** pointer, std::size_t bytes, std::shared_ptr<PoolUsage> usage,
                               const void* caller);

// False when a range begins in an allocation and ends outside of it: what CUDA refuses to copy or fill.
bool lies_within_its_allocation(const void* pointer, std::size_t bytes);

}  // namespace kgrade_emulated
