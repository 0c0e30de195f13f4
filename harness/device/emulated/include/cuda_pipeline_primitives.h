// Asynchronous copies of a thread from global to shared memory (Programming Guide, "Pipeline Primitives
// Interface"). Here they are done at once.
#pragma once

#include <cstddef>
#include <cstring>

// The last `zero_fill` of `bytes` (4, 8 or 16) are set to zero instead of being copied.
inline void __pipeline_memcpy_async(void* destination, const void* source, std::size_t bytes,
                                    std::size_t zero_fill = 0) {
  std::memcpy(destination, source, bytes - zero_fill);
  std::memset(static_cast<char*>(destination) + (bytes - zero_fill), 0, zero_fill);
}
inline void __pipeline_commit() {}
inline void __pipeline_wait_prior(std::size_t) {}
