// Allocates memory that kernels see: heap blocks, with unused space around them in a checked run.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "kgrade_emulated/api_memory.h"

namespace kgrade_emulated {

// The bytes on either side of a block that belong to no other block. 0 unless the run is checked.
std::size_t spacing();

// Null if memory runs out. `alignment` is a power of two, at most 4096.
void* allocate_spaced(std::size_t alignment, std::size_t bytes);
void free_spaced(void* memory);  // `memory` may be null

// The byte that fills fresh device and shared memory. Floats of such bytes are NaN.
constexpr int unwritten_byte = 0xff;

// The bytes that a memory pool has provided.
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

// Allocates device memory that counts as the pool's until it is freed. A failure also becomes the last error.
// `caller` is the return address in the contestant's code.
cudaError_t allocate_from_pool(void** pointer, std::size_t bytes, std::shared_ptr<PoolUsage> usage,
                               const void* caller);

// False if a range begins in an allocation and ends outside of it. CUDA refuses to copy or fill such a range.
bool lies_within_its_allocation(const void* pointer, std::size_t bytes);

}  // namespace kgrade_emulated
