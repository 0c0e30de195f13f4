// What a memory pool has given out.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "kgrade_emulated/api_memory.h"

namespace kgrade_emulated {

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
// False when a range begins in an allocation and ends outside of it: what CUDA refuses to copy or fill.
bool lies_within_its_allocation(const void* pointer, std::size_t bytes);

// `caller` is where the contestant goes on.
cudaError_t allocate_from_pool(void** pointer, std::size_t bytes, std::shared_ptr<PoolUsage> usage,
                               const void* caller);

}  // namespace kgrade_emulated
